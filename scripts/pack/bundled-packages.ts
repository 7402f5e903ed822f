import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

/** The directory of the package that a module belongs to, if it is one of `node_modules`. */
const DIRECTORY = /^(?<directory>.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** A package of others, code of which is in a bundle. */
export interface BundledPackage {
  readonly directory: string;
  readonly name: string;
  readonly version: string;
  /** As its manifest says, in SPDX's words. */
  readonly license: string;
  /** Who made it, as its manifest says, else where it comes from. */
  readonly holder: string;
}

export interface BundledPackages {
  readonly plugin: Plugin;
  /** By name and version. */
  list(): readonly BundledPackage[];
}

/** Notes which packages the bundles are made from: those of which code is left, not those that are merely installed. */
export function noteBundledPackages(): BundledPackages {
  const directories = new Set<string>();
  return {
    plugin: {
      name: "note-bundled-packages",
      generateBundle(_options, bundle) {
        const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
        const left = chunks
          .flatMap(({ modules }) => Object.entries(modules))
          .filter(([, { renderedLength }]) => renderedLength > 0);
        for (const [id] of left) {
          const directory = DIRECTORY.exec(id.replace(/^\0/, ""))?.groups?.["directory"];
          if (directory !== undefined) directories.add(directory);
        }
      },
    },
    list: () =>
      [...directories]
        .map(readPackage)
        .sort((one, other) => compare(one.name, other.name) || compare(one.version, other.version)),
  };
}

function readPackage(directory: string): BundledPackage {
  const { name, version, license, author, repository } = JSON.parse(
    readFileSync(`${directory}/package.json`, "utf8"),
  ) as PackageManifest;
  if (typeof license !== "string") throw new Error(`${name} does not name its licence in SPDX's words`);
  const maker = typeof author === "object" ? author.name : author;
  const source = typeof repository === "object" ? repository.url : repository;
  return { directory, name, version, license, holder: maker ?? `the authors of ${source ?? name}` };
}

interface PackageManifest extends Omit<BundledPackage, "directory" | "holder"> {
  readonly author?: string | { readonly name: string };
  readonly repository?: string | { readonly url: string };
}

/** By their code units, on every machine. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
