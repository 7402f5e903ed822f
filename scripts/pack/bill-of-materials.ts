import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { BundledPackage } from "./bundled-packages.ts";

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
}

interface BillOptions {
  readonly root: string;
  readonly name: string;
  readonly version: string;
  readonly packages: readonly BundledPackage[];
}

/**
 * What is bundled, as CycloneDX. Not `npm sbom`, which lists what is installed: it leaves out what is a development dependency
 * elsewhere, and names packages of which nothing is in a bundle. Without a time and a serial number, so that it is reproducible.
 */
export function billOfMaterials({ root, name, version, packages }: BillOptions): object {
  const { packages: locked } = JSON.parse(readFileSync(`${root}/package-lock.json`, "utf8")) as Lockfile;
  const own = purlOf(name, version);
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "application", "bom-ref": own, name, version, purl: own, licenses: licencesOf("MIT") },
    },
    components: packages.map((one) => ({
      type: "library",
      "bom-ref": purlOf(one.name, one.version),
      name: one.name,
      version: one.version,
      purl: purlOf(one.name, one.version),
      licenses: licencesOf(one.license),
      hashes: hashesOf(locked[relative(root, one.directory)]?.integrity),
    })),
    dependencies: [{ ref: own, dependsOn: packages.map((one) => purlOf(one.name, one.version)) }],
  };
}

function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

function licencesOf(license: string): readonly object[] {
  return /^[\w.-]+$/.test(license) ? [{ license: { id: license } }] : [{ expression: license }];
}

/** Of the package as the registry has it. */
function hashesOf(integrity: string | undefined): readonly object[] {
  const digest = /^sha512-(?<base64>\S+)$/.exec(integrity ?? "")?.groups?.["base64"];
  return digest === undefined ? [] : [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }];
}
