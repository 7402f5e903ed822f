import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { builtPage } from "./build-page.ts";

const MAX_FIRST_LOAD_KB = 150;
const read = (file: string): Buffer => readFileSync(join(builtPage, file));
const brotliSize = (file: string): number => statSync(join(builtPage, `${file}.br`)).size;
const assets = (ending: RegExp): string[] =>
  readdirSync(join(builtPage, "assets"))
    .filter((name) => ending.test(name))
    .map((name) => `assets/${name}`);

/** Every script that is fetched before the first one runs. */
function firstScripts(): readonly string[] {
  const waiting = [
    ...read("index.html")
      .toString()
      .matchAll(/"\.\/(assets\/[^"]+\.js)"/g),
  ].map(([, file = ""]) => file);
  const found = new Set<string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    const text = read(file).toString();
    const imports = text.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g);
    waiting.push(...[...imports].map(([, name]) => `assets/${name}`));
  }
  return [...found].sort();
}

describe("the page as it is built", () => {
  it(`loads at most ${MAX_FIRST_LOAD_KB} kB of compressed JavaScript before it can be used`, () => {
    const scripts = firstScripts();
    const total = scripts.reduce((sum, file) => sum + brotliSize(file), 0) / 1000;
    const parts = scripts.map((file) => `${file} ${(brotliSize(file) / 1000).toFixed(1)}`).join(", ");
    process.stdout.write(`first load: ${total.toFixed(1)} kB of JavaScript, brotli (${parts})\n`);
    expect(scripts.length).toBeGreaterThan(0);
    expect(total).toBeLessThanOrEqual(MAX_FIRST_LOAD_KB);
  });

  it("validates nothing with zod: the gateway did", () => {
    expect(assets(/\.js$/).filter((file) => read(file).includes("ZodError"))).toEqual([]);
  });

  it("has a brotli and a gzip of every script and style sheet, which unpack to it", () => {
    const wrong = assets(/\.(?:js|css)$/)
      .filter((file) => statSync(join(builtPage, file)).size > 300)
      .filter((file) => {
        const whole = read(file);
        return !(
          brotliDecompressSync(read(`${file}.br`)).equals(whole) && gunzipSync(read(`${file}.gz`)).equals(whole)
        );
      });
    expect(wrong).toEqual([]);
  });

  it("has nothing in its HTML that its policy forbids, and names every file relative to itself", () => {
    const html = read("index.html").toString();
    const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=/g)].map(([found]) => found);
    const addresses = [...html.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, address = ""]) => address);
    expect([inline, addresses.filter((address) => !address.startsWith("./"))]).toEqual([[], []]);
  });

  it("keeps for offline use all that the first load needs, and every kept file exists", () => {
    const [, line = ""] = /^const BUILD = (.*);$/m.exec(read("service-worker.js").toString()) ?? [];
    const kept = JSON.parse(line) as { version: string; files: string[] };
    expect({
      missing: kept.files.filter((file) => !existsSync(join(builtPage, file))),
      scripts: kept.files.filter((file) => file.endsWith(".js")),
      home: kept.files[0],
    }).toEqual({ missing: [], scripts: firstScripts(), home: "./" });
    expect(kept.version).toMatch(/^[0-9a-f]{16}$/);
  });

  it("names icons in its manifest that exist", () => {
    const manifest = JSON.parse(read("manifest.webmanifest").toString()) as { icons: { src: string }[] };
    expect(manifest.icons.length).toBeGreaterThan(0);
    expect(manifest.icons.filter(({ src }) => !existsSync(join(builtPage, src)))).toEqual([]);
  });
});
