import { readFileSync, writeFileSync } from "node:fs";
import { errorCatalogue } from "@caret/protocol";
import { expect, it } from "vitest";
import { commands } from "../commands/index.ts";
import { errorReference } from "./error-reference.ts";

const page = new URL("../../../../docs/troubleshooting.md", import.meta.url);
const table = /(?<=<!-- codes:begin -->\n\n)[\s\S]*?(?=\n\n<!-- codes:end -->)/;

it("is what docs/troubleshooting.md says; UPDATE_DOCS=1 writes it there", () => {
  const text = readFileSync(page, "utf8");
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(page, text.replace(table, errorReference));
  expect(table.exec(readFileSync(page, "utf8"))?.[0]).toBe(errorReference());
});

it("sends nobody to a command that does not exist", () => {
  const texts = [readFileSync(page, "utf8"), ...Object.values(errorCatalogue).map(({ fix }) => fix)];
  const named = texts.flatMap((text) => Array.from(text.matchAll(/`caret ([a-z-]+)/g), ([, name]) => name ?? ""));
  expect(named.filter((name) => !commands.has(name))).toEqual([]);
});
