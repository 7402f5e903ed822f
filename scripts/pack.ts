import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "vite";
import { buildExtensions, buildPrograms } from "./build-programs.ts";
import { billOfMaterials } from "./pack/bill-of-materials.ts";
import { noteBundledPackages } from "./pack/bundled-packages.ts";
import { copyDeclarations } from "./pack/copy-declarations.ts";
import { innerManifest, packageManifest } from "./pack/package-manifest.ts";
import { thirdPartyLicences } from "./pack/third-party-licences.ts";

/**
 * Makes the package that is published, in `build/package`, and its tarball beside it. The directories of our packages lie side by
 * side in it as they do in the repository, so that the programs find each other by the same relative paths.
 */
const root = resolve(import.meta.dirname, "..");
const output = join(root, "build");
const into = join(output, "package");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { name, version } = manifest;

const write = (path: string, text: string): void => writeFileSync(join(into, path), text);
const writeJson = (path: string, value: object): void => write(path, `${JSON.stringify(value, undefined, 2)}\n`);

rmSync(into, { recursive: true, force: true });
for (const directory of ["cli", "simulator", "web"]) mkdirSync(join(into, directory), { recursive: true });

// biome-ignore lint/style/noProcessEnv: Vite takes another value from the process that starts this, and then names this machine's files in the page
process.env["NODE_ENV"] = "production";
const bundled = noteBundledPackages();
await build({
  root: join(root, "packages/web"),
  logLevel: "warn",
  plugins: [bundled.plugin],
  worker: { plugins: () => [bundled.plugin] },
  build: { outDir: join(into, "web/dist"), emptyOutDir: true },
});
await buildPrograms({ into: "build/package", plugins: [bundled.plugin] });
await buildExtensions({ into: "build/package", plugins: [bundled.plugin] });
writeJson("opencode-plugin/package.json", innerManifest("@caret/opencode-plugin", version));
const pi = { keywords: ["pi-package"], pi: { extensions: ["./build/gateway-provider.js"] } };
writeJson("pi-provider/package.json", { ...innerManifest("@caret/pi-provider", version), ...pi });

for (const directory of ["cli", "simulator"]) {
  const isProgram = (path: string): boolean => !path.endsWith(".d.ts");
  cpSync(join(root, "packages", directory, "bin"), join(into, directory, "bin"), {
    recursive: true,
    filter: isProgram,
  });
  writeJson(`${directory}/package.json`, innerManifest(`@caret/${directory}`, version));
}
const entries = ["cli/dist/library/library-main.d.ts", "cli/dist/library/client.d.ts", "simulator/dist/index.d.ts"];
copyDeclarations({ root, into: join(into, "types"), entries: entries.map((entry) => `packages/${entry}`) });

const packages = bundled.list();
writeJson("package.json", packageManifest(manifest));
writeJson("sbom.cdx.json", billOfMaterials({ root, name, version, packages }));
write("THIRD-PARTY-LICENCES.txt", thirdPartyLicences(packages));
copyFileSync(join(root, "packages/cli/README.md"), join(into, "README.md"));
for (const file of ["LICENSE", "CHANGELOG.md"]) copyFileSync(join(root, file), join(into, file));

execFileSync("npm", ["pack", "--silent", "--pack-destination", output], { cwd: into, stdio: "inherit" });
