import { existsSync } from "node:fs";
import type { ClientFile } from "@caret/protocol/recipes";
import { absolutePath } from "../config/config-paths.ts";
import type { Host } from "../host/host.ts";

const DATA = "{data}/";

type Machine = Pick<Host, "env" | "home" | "platform"> & { readonly dataDir: string };

/** Where a file of a client is: the first of its names that exists, else its usual one. */
export function clientPath({ target, others = [], moved, systems }: ClientFile, machine: Machine): string {
  const { env, home, platform, dataDir } = machine;
  const resolve = (name: string): string => {
    const value = moved === undefined ? undefined : env[moved.variable];
    const path =
      moved !== undefined && value && name.startsWith(`${moved.from}/`) ? value + name.slice(moved.from.length) : name;
    return absolutePath(inData(path, dataDir), { base: home, home, platform });
  };
  const names = [systems?.[platform] ?? target, ...others].map(resolve);
  return names.find((path) => existsSync(path)) ?? (names[0] as string);
}

/** With Caret's data directory where a recipe means it. */
export function inData(text: string, dataDir: string): string {
  return text.replaceAll(DATA, `${dataDir}/`);
}
