import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join, posix, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

export default defineConfig({
  // Addresses relative to the page, so that it also works below a path of a proxy.
  base: "./",
  plugins: [
    react(),
    tailwindcss(),
    onBuilt("caret:offline-page", writeServiceWorker),
    // Last: it compresses what the others wrote.
    onBuilt("caret:precompress", compressAll),
  ],
  build: {
    target: "es2023",
    // Nothing is inlined: the page's policy lets only files of ours through.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
  },
  worker: { format: "es" },
});

/** Does something with the directory of a finished build, one after the other. */
function onBuilt(name: string, handle: (directory: string) => void): Plugin {
  let directory = "";
  return {
    name,
    apply: "build",
    configResolved(config) {
      directory = resolve(config.root, config.build.outDir);
    },
    closeBundle: { order: "post", sequential: true, handler: () => handle(directory) },
  };
}

/**
 * `service-worker.js` of this folder, with the first load's files and a version that changes whenever the build does:
 * by it browsers notice a new one.
 */
function writeServiceWorker(directory: string): void {
  const script = readFileSync(join(import.meta.dirname, "service-worker.js"), "utf8");
  const html = readFileSync(join(directory, "index.html"), "utf8");
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();
  const version = createHash("sha256")
    .update(JSON.stringify([script, html, names]))
    .digest("hex")
    .slice(0, 16);
  const files = ["./", ...firstLoadFiles(directory, html), "icon.svg", "manifest.webmanifest"];
  writeFileSync(
    join(directory, "service-worker.js"),
    `const BUILD = ${JSON.stringify({ version, files })};\n${script}`,
  );
}

/** What a browser fetches before the page can do anything: what `index.html` names, and what that imports. */
function firstLoadFiles(directory: string, html: string): readonly string[] {
  const files = new Set<string>();
  const add = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    if (!file.endsWith(".js")) return;
    // `import "./x.js"` and `import{a}from"./x.js"`, but not `import("./x.js")`.
    const imports = /\bimport\s*(?:[\w$*{][^"'();]*?from\s*)?["'](\.[^"']+)["']/g;
    for (const [, path = ""] of readFileSync(join(directory, file), "utf8").matchAll(imports))
      add(posix.join(posix.dirname(file), path));
  };
  for (const [, file = ""] of html.matchAll(/\b(?:src|href)="\.\/(assets\/[^"]+)"/g)) add(file);
  return [...files].sort();
}

/**
 * `<file>.br` and `<file>.gz` beside every file that gets smaller by it, so that the gateway sends the best compression
 * there is without ever compressing.
 */
function compressAll(directory: string): void {
  const compressible = new Set([".html", ".js", ".css", ".svg", ".json", ".webmanifest", ".wasm"]);
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && compressible.has(extname(entry.name))) compress(join(entry.parentPath, entry.name));
}

function compress(path: string): void {
  const bytes = readFileSync(path);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const brotli = brotliCompressSync(bytes, { params });
  if (brotli.length < bytes.length) writeFileSync(`${path}.br`, brotli);
  const gzip = gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION });
  if (gzip.length < bytes.length) writeFileSync(`${path}.gz`, gzip);
}
