import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeTokenShelf } from "@caret/runtime/tokens/token-shelf.contract.ts";
import { afterEach } from "vitest";
import { fileTokens } from "./file-tokens.ts";

const made: string[] = [];
afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true });
});

describeTokenShelf("a file", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "caret-file-tokens-"));
  made.push(dataDir);
  return { shelf: fileTokens(dataDir), other: fileTokens(dataDir) };
});
