import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Lint files of our making as if they stood in this repository: a temporary copy of its rules and manifests, with the
 * files at the paths given. Nothing is written into the checkout, where others may be compiling at the same moment.
 * Gives the rules that each file breaks, by name.
 */
export async function lintPlanted(files: Readonly<Record<string, string>>): Promise<Record<string, string[]>> {
  const house = mkdtempSync(join(tmpdir(), "caret-house-"));
  try {
    copyRules(house);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(house, path)), { recursive: true });
      writeFileSync(join(house, path), text);
    }
    return brokenRules(Object.keys(files), await runBiome(house));
  } finally {
    rmSync(house, { recursive: true });
  }
}

function copyRules(house: string): void {
  for (const name of ["biome.json", "package.json"]) cpSync(join(root, name), join(house, name));
  for (const name of readdirSync(join(root, "packages"))) {
    mkdirSync(join(house, "packages", name, "src"), { recursive: true });
    cpSync(join(root, "packages", name, "package.json"), join(house, "packages", name, "package.json"));
  }
}

/** Biome exits with 1 when it finds something, which is what we are after; the report is on stdout either way. */
function runBiome(house: string): Promise<string> {
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
  const args = [biome, "lint", "--reporter=json", "--max-diagnostics=none", "packages"];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: house, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout) => resolve(stdout));
  });
}

interface BiomeReport {
  readonly diagnostics: readonly {
    readonly category: string;
    readonly location: { readonly path: string };
  }[];
}

function brokenRules(paths: readonly string[], report: string): Record<string, string[]> {
  const { diagnostics } = JSON.parse(report) as BiomeReport;
  const rulesOf = (path: string): string[] => {
    const rules = diagnostics.flatMap(({ category, location }) => (location.path === path ? [category] : []));
    return [...new Set(rules.map((rule) => rule.replace(/^lint\/\w+\//, "")))].sort();
  };
  return Object.fromEntries(paths.map((path) => [path, rulesOf(path)]));
}
