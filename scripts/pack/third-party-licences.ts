import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BundledPackage } from "./bundled-packages.ts";

const FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** The licences of what is bundled, word for word, as most of them demand. */
export function thirdPartyLicences(packages: readonly BundledPackage[]): string {
  const parts = packages.map(({ directory, name, version, license }) => {
    const files = readdirSync(directory).filter((file) => FILE.test(file));
    const texts = files.sort().map((file) => readFileSync(join(directory, file), "utf8").trim());
    const body = texts.length > 0 ? texts.join("\n\n") : `${name} comes without a text; its manifest says: ${license}.`;
    return `${name} ${version} (${license})\n\n${body}`;
  });
  const head = "Caret contains code of the following packages, each under its own licence.";
  return `${[head, ...parts].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
