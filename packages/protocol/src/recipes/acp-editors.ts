import type { SharedFile } from "./installation.ts";
import { caretWords, type Recipe, type RecipeValues } from "./recipe.ts";

const own = ["agent_servers", "Caret"];
const program = {
  protocol: "acp",
  words: [
    [...own, "command"],
    [...own, "args"],
  ],
} as const;

/** Editors that start `caret acp` themselves: they need no address and no token. */
export function acpEditors({ machine }: RecipeValues): readonly Recipe[] {
  const [command = "", ...args] = caretWords(machine, "acp");
  const zed = { type: "custom", command, args, env: {} };
  const jetBrains = { command, args };
  const zedFile: SharedFile = {
    target: "~/.config/zed/settings.json",
    moved: { variable: "XDG_CONFIG_HOME", from: "~/.config" },
    format: "jsonc",
    settings: [{ path: own, value: zed }],
  };
  const jetBrainsFile: SharedFile = {
    target: "~/.jetbrains/acp.json",
    format: "jsonc",
    settings: [{ path: own, value: jetBrains }],
  };
  return [
    {
      id: "zed",
      name: "Zed",
      about: "Zed starts Caret as an agent of its panel: New Caret Thread.",
      parts: [{ target: zedFile.target, text: JSON.stringify({ agent_servers: { Caret: zed } }, undefined, 2) }],
      installation: { files: [zedFile], start: "zed", program },
    },
    {
      id: "jetbrains",
      name: "JetBrains",
      about: "The IDEs start Caret as an agent of their AI chat.",
      parts: [
        { target: jetBrainsFile.target, text: JSON.stringify({ agent_servers: { Caret: jetBrains } }, undefined, 2) },
      ],
      installation: { files: [jetBrainsFile], start: "your IDE", program },
    },
  ];
}
