import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** A program from npm's registry, too large to be a dependency of this repository. */
export interface ClientPackage {
  /** With its exact version: without one npm picks older versions silently, depending on Node's. */
  readonly spec: string;
  readonly command: string;
}

/** Installations outlive the tests: some of these programs have hundreds of megabytes. */
const cache = join(tmpdir(), "caret-clients");

/** The path of the program, which is installed first where it is missing. */
export async function installClient({ spec, command }: ClientPackage): Promise<string> {
  return join(await installPackages([spec]), "node_modules", ".bin", command);
}

/** A directory in whose `node_modules` these packages are, installed first where they are missing. */
export async function installPackages(specs: readonly string[]): Promise<string> {
  const place = join(cache, specs.map((spec) => spec.replace(/^@/, "").replaceAll(/[/@]/g, "-")).join("+"));
  if (existsSync(place)) return place;
  mkdirSync(cache, { recursive: true });
  // In a directory of this run: an npm that outlives a hook's time limit would write into the next one's.
  const draft = mkdtempSync(join(cache, "installing-"));
  // Their scripts run under the Node that runs this one, and so does npm itself.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` };
  const quiet = ["--no-audit", "--no-fund", "--loglevel", "error"];
  await promisify(execFile)("npm", ["install", ...quiet, "--prefix", draft, ...specs], { env });
  // Another run may have been quicker.
  if (existsSync(place)) rmSync(draft, { recursive: true });
  else renameSync(draft, place);
  return place;
}
