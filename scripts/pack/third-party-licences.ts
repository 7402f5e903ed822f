import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BundledPackage } from "./bundled-packages.ts";

const FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
const texts = join(import.meta.dirname, "licences");

/**
 * The licences of what is bundled, word for word, as most of them demand. A package that ships no text is named with its author and
 * with where it comes from; the text of its licence stands at the end, once.
 */
export function thirdPartyLicences(packages: readonly BundledPackage[]): string {
  const shared = new Set<string>();
  const parts = packages.map(({ directory, name, version, license, holder }) => {
    const files = readdirSync(directory).filter((file) => FILE.test(file));
    const own = files.sort().map((file) => readFileSync(join(directory, file), "utf8").trim());
    const head = `${name} ${version} (${license})`;
    if (own.length > 0) return [head, ...own].join("\n\n");
    const ids = licenceIds(license);
    for (const id of ids) shared.add(id);
    return `${head}\n\n${name} ships no licence text. Copyright: ${holder}; its licence is at the end of this file: ${ids.join(" and ")}.`;
  });
  const ends = [...shared].sort().map((id) => `${id}\n\n${standardText(id)}`);
  const head = "Caret contains code of the following packages, each under its own licence.";
  return `${[head, ...parts, ...ends].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/** The licences of an SPDX expression. All of them count: nothing is chosen. */
function licenceIds(expression: string): readonly string[] {
  return expression.split(/\s+(?:AND|OR)\s+|[()]/).filter((word) => word !== "");
}

function standardText(id: string): string {
  const file = join(texts, `${id}.txt`);
  if (!existsSync(file)) throw new Error(`A bundled package ships no licence text, and ${file} is missing`);
  return readFileSync(file, "utf8").trim();
}
