import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openPage } from "./page-files.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-page-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

it("reads the whole build at once, with the compressed forms beside their files", () => {
  mkdirSync(join(directory, "assets"));
  const files = ["index.html", "index.html.br", "icon.svg", "assets/main-a1.js", "assets/main-a1.js.gz"];
  for (const name of files) writeFileSync(join(directory, name), name);
  const { paths, read } = openPage(directory);
  const page = read();
  rmSync(directory, { recursive: true });
  mkdirSync(directory);
  const bytes = (name: string): Buffer => Buffer.from(name);
  expect([...paths].sort()).toEqual([...page.keys()].sort());
  expect(Object.fromEntries(page)).toEqual({
    "/": {
      bytes: bytes("index.html"),
      br: bytes("index.html.br"),
      mediaType: "text/html; charset=utf-8",
      immutable: false,
    },
    "/icon.svg": { bytes: bytes("icon.svg"), mediaType: "image/svg+xml", immutable: false },
    "/assets/main-a1.js": {
      bytes: bytes("assets/main-a1.js"),
      gzip: bytes("assets/main-a1.js.gz"),
      mediaType: "text/javascript; charset=utf-8",
      immutable: true,
    },
  });
});

it.each(["", "nowhere"])("says how to build the page where there is none (%j)", (name) => {
  const { paths, read } = openPage(join(directory, name));
  const page = read();
  expect({
    paths,
    namesTheBuild: Buffer.from(page.get("/")?.bytes ?? [])
      .toString("utf8")
      .includes("npm run build"),
  }).toEqual({ paths: ["/"], namesTheBuild: true });
});
