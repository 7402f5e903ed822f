import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./lint-planted.ts";

const protocol = join(root, "packages/protocol");
const generated = "src/agent-api/generated";

/** Each file of a kind in `directory`, by its name. */
function readAll(directory: string, kind: ".proto" | ".ts"): Record<string, string> {
  const names = readdirSync(directory).filter((name) => name.endsWith(kind));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name), "utf8")]));
}

describe("the generated schema of the agent interface", () => {
  it("is what `npm run generate` makes of the .proto files", () => {
    const output = mkdtempSync(join(tmpdir(), "caret-schema-"));
    try {
      const bin = join(root, "node_modules/.bin");
      const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}` };
      execFileSync(join(bin, "buf"), ["generate", "--output", output], { cwd: protocol, env });
      expect(readAll(join(protocol, generated), ".ts")).toEqual(readAll(join(output, generated), ".ts"));
    } finally {
      rmSync(output, { recursive: true });
    }
  });

  it("describes every .proto file, none of which is longer than a source file may be", () => {
    const files = readAll(join(protocol, "proto"), ".proto");
    const names = Object.keys(files).map((name) => name.replace(/\.proto$/, "_pb.ts"));
    expect(readdirSync(join(protocol, generated)).sort()).toEqual(names.sort());
    const long = Object.entries(files).filter(([, text]) => text.split("\n").length > 400);
    expect(long.map(([name]) => name)).toEqual([]);
  });
});
