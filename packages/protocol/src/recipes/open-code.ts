import type { SettingValue, SharedFile } from "./installation.ts";
import { CONTEXT_WINDOW, OUTPUT_LIMIT, type Recipe, type RecipeValues, TERMINAL, withDataDir } from "./recipe.ts";

export function openCode(values: RecipeValues): Recipe {
  const { machine } = values;
  const settings = { provider: { caret: provider(values, values.token) } };
  const file = sharedFile("opencode", provider(values, `{file:${machine.tokenFile}}`));
  return {
    id: "opencode",
    name: "OpenCode",
    door: "openai",
    about: "In the project's directory, or for all projects in ~/.config/opencode.",
    parts: [
      { target: "opencode.json", text: JSON.stringify(settings, undefined, 2) },
      { target: TERMINAL, text: "opencode --model caret/auto" },
    ],
    installation: {
      files: [{ ...file, settings: [...file.settings, ...watched] }],
      defaults: [{ ...file, settings: chosen }],
      start: "opencode --model caret/auto",
      access,
    },
    launch: {
      command: "opencode",
      args: [],
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...settings, model: "caret/auto" }) },
    },
  };
}

/** Caret's plugin instead of settings: it lists every model with its variants, and starts a gateway if none runs. */
export function openCodePlugin({ machine, url, token }: RecipeValues): Recipe {
  const needs = `${machine.packages}/${machine.openCodePlugin}`;
  const plugin = `file://${needs}`;
  const { settings: _, ...file } = sharedFile("opencode", {});
  return {
    id: "opencode-plugin",
    name: "OpenCode, by Caret's plugin",
    door: "openai",
    about: "Every model with its variants; starts a gateway when none runs. For OpenCode 1 and 2.",
    parts: [
      { target: "opencode.json", text: JSON.stringify({ plugin: [plugin] }, undefined, 2) },
      { target: TERMINAL, text: `export CARET_URL=${url}\nexport CARET_TOKEN=${token}\nopencode --model caret/auto` },
    ],
    installation: {
      files: [{ ...file, settings: [{ path: ["plugin", { item: plugin }], value: plugin }, ...watched] }],
      defaults: [{ ...file, settings: chosen }],
      start: withDataDir(machine, "opencode --model caret/auto"),
      needs,
    },
  };
}

/** Kilo is built on OpenCode and reads the same settings. */
export function kilo(values: RecipeValues): Recipe {
  const file = sharedFile("kilo", provider(values, `{file:${values.machine.tokenFile}}`));
  const settings = { provider: { caret: provider(values, values.token) } };
  return {
    id: "kilo",
    name: "Kilo Code",
    door: "openai",
    about: "For its command kilo, which reads the same settings as OpenCode.",
    parts: [
      { target: "~/.config/kilo/kilo.json", text: JSON.stringify(settings, undefined, 2) },
      { target: TERMINAL, text: "kilo --model caret/auto" },
    ],
    installation: {
      files: [{ ...file, settings: [...file.settings, ...watched] }],
      defaults: [{ ...file, settings: chosen }],
      start: "kilo --model caret/auto",
      access,
    },
    launch: {
      command: "kilo",
      args: [],
      env: { KILO_CONFIG_CONTENT: JSON.stringify({ ...settings, model: "caret/auto" }) },
    },
  };
}

function provider({ url }: RecipeValues, apiKey: string): SettingValue {
  return {
    npm: "@ai-sdk/openai-compatible",
    name: "Caret",
    options: { baseURL: `${url}/v1`, apiKey },
    models: { auto: { name: "auto", limit: { context: CONTEXT_WINDOW, output: OUTPUT_LIMIT } } },
  };
}

const watched = [
  { path: ["model"], prefix: "caret/" },
  { path: ["small_model"], prefix: "caret/" },
];
const chosen = [{ path: ["model"], value: "caret/auto", prefix: "caret/" }];

const access = {
  url: ["provider", "caret", "options", "baseURL"],
  token: { form: "file", paths: [["provider", "caret", "options", "apiKey"]] },
} as const;

function sharedFile(name: string, value: SettingValue): SharedFile {
  return {
    target: `~/.config/${name}/${name}.json`,
    // With a .json next to the user's .jsonc, the client would read both.
    others: [`~/.config/${name}/${name}.jsonc`],
    moved: { variable: "XDG_CONFIG_HOME", from: "~/.config" },
    format: "jsonc",
    settings: [{ path: ["provider", "caret"], value }],
  };
}
