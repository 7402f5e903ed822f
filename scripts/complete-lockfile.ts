import { readFileSync, writeFileSync } from "node:fs";

/**
 * Adds the packages for other platforms that npm left out of the lockfile. A registry that has only this machine's
 * binaries makes `npm install` drop the others silently, and `npm ci` then refuses the lockfile for lacking them.
 * Run it after every change of a dependency: `node scripts/complete-lockfile.ts`.
 */
interface Entry {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Entry> };

const systems = ["android", "darwin", "freebsd", "linux", "win32", "openharmony", "sunos", "aix", "netbsd", "openbsd"];
const processors = ["arm64", "x64", "arm", "ia32", "ppc64", "riscv64", "s390x", "loong64", "wasm32", "mips64el"];

/** What a package's name says about where it runs; npm skips a package that does not run here without fetching it. */
function platformOf(name: string): { os?: string[]; cpu?: string[]; libc?: string[] } {
  const words = name.split(/[/-]/);
  const os = systems.filter((system) => words.includes(system));
  const cpu = processors.filter((processor) => words.includes(processor));
  const libc = words.includes("musl") || words.includes("musleabihf") ? ["musl"] : [];
  const glibc = words.includes("gnu") || words.includes("gnueabihf") ? ["glibc"] : [];
  return {
    ...(os.length > 0 ? { os } : {}),
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(libc.length + glibc.length > 0 ? { libc: [...libc, ...glibc] } : {}),
  };
}

const missing = Object.values(lock.packages).flatMap(({ optionalDependencies = {} }) =>
  Object.entries(optionalDependencies).filter(([name]) => lock.packages[`node_modules/${name}`] === undefined),
);
for (const [name, version] of missing) {
  const platform = platformOf(name);
  // Only what says where it runs can be left out safely; anything else must come from the registry.
  if (platform.os === undefined && platform.cpu === undefined) continue;
  lock.packages[`node_modules/${name}`] = { version, ...platform, dev: true, optional: true };
}
const sorted = Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
process.stdout.write(`added ${missing.length} packages\n`);
