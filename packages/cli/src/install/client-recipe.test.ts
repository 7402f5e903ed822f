import { expect, it } from "vitest";
import { clientRecipe, NO_TOKEN, requirePart } from "./client-recipe.ts";

const host = { home: "/home/ada", platform: "linux" } as const;
const usual = "/home/ada/.local/share/caret";

function recipe(client: string, dataDir: string) {
  return clientRecipe(client, { url: "http://127.0.0.1:4141", token: NO_TOKEN, dataDir, host });
}

/** What a client starts, without the program and the file that are Caret on this machine. */
function startedBy(client: string, dataDir: string): readonly unknown[] {
  const [file] = recipe(client, dataDir).installation?.files ?? [];
  const value = file !== undefined && "settings" in file ? file.settings[0]?.value : undefined;
  const { args, command } = value as { readonly args?: readonly string[]; readonly command: readonly string[] };
  return (args ?? command.slice(1)).slice(1);
}

it.each([
  ["zed", "acp"],
  ["jetbrains", "acp"],
  ["mcp-claude-code", "mcp"],
  ["mcp-opencode", "mcp"],
])("has %s start caret %s for its data directory, unless that is the usual one", (client, subcommand) => {
  expect([startedBy(client, usual), startedBy(client, "/srv/caret data")]).toEqual([
    [subcommand],
    [subcommand, "--data-dir", "/srv/caret data"],
  ]);
});

it.each(["pi", "opencode-plugin"])("starts %s with the data directory by which it finds the gateway", (client) => {
  const [plain = "", moved = ""] = [usual, "/srv/caret data"].map(
    (dataDir) => recipe(client, dataDir).installation?.start,
  );
  expect([plain.includes("CARET_DATA_DIR"), moved]).toEqual([false, `CARET_DATA_DIR='/srv/caret data' ${plain}`]);
});

it("refuses to install or launch pi where this form of Caret comes without its provider", () => {
  const pi = recipe("pi", usual);
  expect(pi.launch?.needs).toBe(pi.installation?.needs);
  expect(() => requirePart(pi, pi.launch?.needs)).not.toThrow();
  expect(() => requirePart(pi, "/nowhere/pi-provider")).toThrow(
    expect.objectContaining({
      code: "not-found",
      message: "This form of Caret comes without /nowhere/pi-provider, which pi would load",
      fix: "`caret connect pi` prints settings that need nothing else.",
    }),
  );
});
