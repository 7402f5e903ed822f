import { join } from "node:path";
import { writePrivateFile } from "../paths/private-files.ts";
import { seccompFilter } from "./seccomp-filter.ts";

/** Write the machine's filter where bubblewrap can be given it; undefined where its calls are unknown to us. */
export function writeFilter(directory: string, arch: NodeJS.Architecture): string | undefined {
  const filter = seccompFilter(arch);
  if (filter === undefined) return undefined;
  const file = join(directory, "seccomp.bpf");
  writePrivateFile(file, filter);
  return file;
}
