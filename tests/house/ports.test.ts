import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const packages = fileURLToPath(new URL("../../packages", import.meta.url));
const declaration = /^(?:export )?(?:interface|type|class) (\w+)/gm;

/** Where each type is declared, by its name. */
function declarations(pattern: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const file of globSync(pattern, { cwd: packages }).filter((path) => !path.endsWith(".test.ts")))
    for (const [, name = ""] of readFileSync(`${packages}/${file}`, "utf8").matchAll(declaration))
      found.set(name, [...(found.get(name) ?? []), file]);
  return found;
}

describe("the ports between doors and runtime", () => {
  it("are declared in protocol, and nowhere a second time", () => {
    const ports = declarations("protocol/src/ports/*.ts");
    const others = declarations("{gateway,runtime,cli}/src/**/*.ts");
    expect([...ports.keys()]).toEqual(
      expect.arrayContaining(["Caller", "ClientTool", "Conversations", "ModelDirectory", "Sessions", "TurnShare"]),
    );
    const twins = [...ports.keys()].flatMap((name) => (others.get(name) ?? []).map((file) => `${name}: ${file}`));
    expect(twins).toEqual([]);
  });
});
