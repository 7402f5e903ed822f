import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page, PageFile, PageFiles } from "@caret/gateway";
import { packageRoot } from "../host/program.ts";

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".ico": "image/x-icon",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

const INDEX = "index.html";
const COMPRESSED = [".br", ".gz"];

/** Where the build puts the page. */
export const pageDirectory: string = fileURLToPath(new URL("../web/dist", packageRoot));

/** The built page, read all at once: a build while the gateway runs must not mix two versions. */
export function openPage(directory: string): Page {
  return { paths: ownNames(listFiles(directory)).map(pathOf), read: () => readPageFiles(directory) };
}

function readPageFiles(directory: string): PageFiles {
  const names = listFiles(directory);
  if (!names.includes(INDEX)) return new Map([["/", unbuiltPage]]);
  return new Map(ownNames(names).map((name) => [pathOf(name), readFile(directory, name, names)]));
}

/** An unbuilt page has only the index. */
function ownNames(names: readonly string[]): readonly string[] {
  return names.includes(INDEX) ? names.filter((name) => !COMPRESSED.includes(extname(name))) : [INDEX];
}

function pathOf(name: string): string {
  return name === INDEX ? "/" : `/${name}`;
}

function listFiles(directory: string): readonly string[] {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) =>
        join(parentPath, name)
          .slice(directory.length + 1)
          .replaceAll("\\", "/"),
      );
  } catch {
    return []; // never built
  }
}

function readFile(directory: string, name: string, names: readonly string[]): PageFile {
  const read = (suffix: string): Buffer | undefined =>
    names.includes(name + suffix) ? readFileSync(join(directory, name + suffix)) : undefined;
  return {
    bytes: readFileSync(join(directory, name)),
    br: read(".br"),
    gzip: read(".gz"),
    mediaType: mediaTypes[extname(name)] ?? "application/octet-stream",
    // The build names these after their content.
    immutable: name.startsWith("assets/"),
  };
}

const unbuiltPage: PageFile = {
  bytes: Buffer.from(
    [
      "<!doctype html>",
      '<html lang="en"><head><meta charset="utf-8"><title>Caret</title>',
      '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">',
      "</head><body><h1>Caret runs, its page is not built</h1>",
      "<p>Run <code>npm run build</code> in Caret's directory and start the gateway again.</p>",
      "<p>Everything else works: <code>caret --help</code>, and the doors for your clients.</p></body></html>",
      "",
    ].join("\n"),
  ),
  mediaType: "text/html; charset=utf-8",
  immutable: false,
};
