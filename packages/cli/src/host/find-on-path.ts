import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Host } from "./host.ts";

/** A program by its name, as a shell would find it. */
export function findOnPath({ env }: Pick<Host, "env">, name: string): string | undefined {
  const directories = (env["PATH"] ?? "").split(delimiter).filter((directory) => directory !== "");
  return directories.map((directory) => join(directory, name)).find((path) => existsSync(path));
}
