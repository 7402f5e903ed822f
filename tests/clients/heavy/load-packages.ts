import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { installPackages } from "../loops/client-package.ts";

/** Loads a package by its name. Its types are not installed here, so the caller says what it uses of it. */
export type Load = <Module>(name: string) => Promise<Module>;

/** Installs packages where they are missing. They are looked up as if from a file that lies beside them. */
export async function loadPackages(specs: readonly string[]): Promise<Load> {
  const loader = join(await installPackages(specs), "node_modules", "load.mjs");
  writeFileSync(loader, "export const load = (name) => import(name);\n");
  const { load } = (await import(pathToFileURL(loader).href)) as { readonly load: Load };
  return load;
}
