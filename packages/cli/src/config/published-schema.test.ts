import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { configJsonSchema } from "./config-reference.ts";

const file = fileURLToPath(new URL("../../../../docs/caret.schema.json", import.meta.url));

it("is what docs/caret.schema.json says; UPDATE_DOCS=1 writes it there", () => {
  const schema = `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
  if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(file, schema);
  expect(readFileSync(file, "utf8")).toBe(schema);
});
