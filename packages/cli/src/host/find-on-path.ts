import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Host } from "./host.ts";

/** Finds a program by name, as a shell would. */
export function findOnPath({ env }: Pick<Host, "env">, name: string): string | undefined {
  const directories = (env["PATH"] ?? "").split(delimiter).filter((directory) => directory !== "");
  return directories.map((directory) => join(directory, name)).find((path) => existsSync(path));
}
