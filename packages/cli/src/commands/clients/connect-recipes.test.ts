import { readFileSync } from "node:fs";
import { recipes } from "@caret/protocol/recipes";
import { describe, expect, it } from "vitest";

const clientsPage = readFileSync(new URL("../../../../../docs/clients.md", import.meta.url), "utf8");
const values = { url: "http://127.0.0.1:4141", token: "<token>" };
const all = recipes(values);

/** The first example below a heading of the clients' page. */
function example(heading: string): string {
  const [, section = ""] = clientsPage.split(`\n## ${heading}\n`);
  const [, text = ""] = /```\w+\n([\s\S]*?)```/.exec(section) ?? [];
  return text.trimEnd();
}

const firstPart = (id: string): string => all.find((recipe) => recipe.id === id)?.parts[0]?.text ?? "";

describe("the recipes", () => {
  it("are the settings of the clients' page, which are what the real clients are tested with", () => {
    expect(firstPart("codex")).toBe(example("Codex"));
    expect(JSON.parse(firstPart("opencode"))).toEqual(JSON.parse(example("OpenCode")));
    expect(JSON.parse(firstPart("pi"))).toEqual(JSON.parse(example("pi")));
  });

  it.each([
    ["claude-code", "Claude Code"],
    ["qwen-code", "Qwen Code"],
    ["continue", "Continue"],
    ["cline", "Cline"],
    ["copilot-cli", "Copilot CLI"],
    ["anthropic", "Anthropic SDK"],
    ["ai-sdk", "AI SDK"],
    ["langchain", "LangChain"],
    ["curl", "curl"],
  ])("show for %s what the clients' page shows under %s", (id, heading) => {
    expect(firstPart(id)).toBe(example(heading));
  });

  it.each([
    ["droid", "Droid"],
    ["openclaw", "OpenClaw"],
    ["zed-models", "Zed"],
  ])("have for %s the settings that the clients' page has under %s", (id, heading) => {
    expect(JSON.parse(firstPart(id))).toEqual(JSON.parse(example(heading)));
  });

  it("name this gateway and the token wherever one is needed, and no other address", () => {
    const other = recipes({ url: "https://box.example/caret", token: "caret_abc" });
    for (const { id, parts } of other.filter(({ door }) => door !== undefined)) {
      const text = parts.map((part) => part.text).join("\n");
      expect({
        id,
        namesAddress: text.includes("https://box.example/caret"),
        namesToken: text.includes("caret_abc"),
      }).toEqual({ id, namesAddress: true, namesToken: true });
      expect({ id, namesLoopback: text.includes("127.0.0.1") }).toEqual({ id, namesLoopback: false });
    }
  });

  it("have different names", () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });
});
