import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { configReference } from "./config-reference.ts";

const page = new URL("../../../../docs/configuration.md", import.meta.url);
const table = /(?<=<!-- keys:begin -->\n\n)[\s\S]*?(?=\n\n<!-- keys:end -->)/;

it("is what docs/configuration.md says; UPDATE_DOCS=1 writes it there", () => {
  const text = readFileSync(page, "utf8");
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(page, text.replace(table, configReference));
  expect(table.exec(readFileSync(page, "utf8"))?.[0]).toBe(configReference());
});
