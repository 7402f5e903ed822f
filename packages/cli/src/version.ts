import { readFileSync } from "node:fs";

/** The one version of all packages, read from the manifest so that it is said in one place. */
export const version: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }
).version;
