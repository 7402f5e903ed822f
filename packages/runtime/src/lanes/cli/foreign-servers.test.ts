import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findForeignServers } from "./foreign-servers.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-foreign-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

function namesIn(content: string): readonly string[] {
  const file = join(directory, "mcp.json");
  writeFileSync(file, content);
  return findForeignServers([file]).names;
}

it("reads servers between comments, whose marks in a string are none", () => {
  const server = '{ "url": "http://a/*b*/", /* one */ "note": "c // d" }';
  expect(namesIn(`// mine\n{ "mcpServers": { "a": ${server}, }, }`)).toEqual(["a"]);
});

it.each(['"', "/* ", '/* "', '\\"'])("comes to an end with a file that has %j again and again", (piece) => {
  expect(namesIn(`{ "mcpServers": ${piece.repeat(300_001)}`)).toEqual([]);
});
