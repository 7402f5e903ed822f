import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { readConfigFile } from "../config/config-paths.ts";
import type { Config } from "../config/config-schema.ts";
import { loadConfig } from "../config/load-config.ts";
import { createUserSettings } from "./user-settings.ts";

const home = mkdtempSync(join(tmpdir(), "caret-settings-"));
const file = join(home, ".config", "caret", "caret.json");
const project = join(home, "project");
const env = { CARET_LANE: "sim" };
let applied: Config["budgets"][];

function open(text?: string) {
  if (text !== undefined) writeFileSync(file, text);
  const from = {
    flags: { mode: "ask" },
    env,
    cwd: project,
    home,
    platform: "linux",
    readFile: readConfigFile,
  } as const;
  return createUserSettings({
    loaded: loadConfig(from),
    onChange: ({ budgets }) => void applied.push(budgets),
    gatewayUrl: () => "http://127.0.0.1:4141",
  });
}

beforeEach(() => {
  applied = [];
  rmSync(file, { force: true });
  mkdirSync(dirname(file), { recursive: true });
  mkdirSync(project, { recursive: true });
});
afterAll(() => rmSync(home, { recursive: true }));

async function settingOf(settings: ReturnType<typeof open>, key: string) {
  return (await settings.read()).settings.find((setting) => setting.key === key);
}

describe("the settings of a running gateway", () => {
  it("say of each what it is, what it means and where it comes from", async () => {
    const settings = open('{ "model": "gpt" }');
    expect(await settingOf(settings, "model")).toEqual({
      key: "model",
      meaning: "The model of a turn that names none. A project file may only choose one that is known to cost no more.",
      kind: "text",
      value: "gpt",
      default: "auto",
      from: "file",
      source: file,
    });
    expect(await settingOf(settings, "lane")).toMatchObject({ kind: "choice", from: "variable", source: "CARET_LANE" });
    expect(await settingOf(settings, "mode")).toMatchObject({ value: "ask", from: "flag", source: "--mode" });
    expect(await settingOf(settings, "budgets.day.usd")).toMatchObject({ from: "default", live: true });
  });

  it("never show a secret, and refuse to change what has one in it", async () => {
    const settings = open('{ "cli": { "env": { "TOKEN": "sk-very-secret" } } }');
    const view = await settings.read();
    expect(JSON.stringify(view)).not.toContain("sk-very-secret");
    expect(view.settings.filter(({ inFileOnly }) => inFileOnly === true).map(({ key }) => key)).toContain("cli.env");
    await expect(settings.change({ changes: { "cli.env": {} } })).rejects.toMatchObject({
      code: "invalid-request",
      message: "cli.env: has secrets in it, and is changed in the file itself only",
    });
  });

  it("are written where they belong in the file, and every other byte of it stays", async () => {
    const settings = open('{\n    "model": "gpt",\n    "budgets": {"day": {"usd": 5}}\n}\n');
    await settings.change({ changes: { "budgets.day.usd": 7, "clocks.idleMs": 1000 } });
    expect(readFileSync(file, "utf8")).toBe(
      '{\n    "model": "gpt",\n    "budgets": {"day": {"usd": 7}},\n    "clocks": {\n        "idleMs": 1000\n    }\n}\n',
    );
    await settings.change({ changes: { "clocks.idleMs": null, model: null } });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ budgets: { day: { usd: 7 } } });
  });

  it("make the file where there is none", async () => {
    await open().change({ changes: { model: "gpt" } });
    expect(readFileSync(file, "utf8")).toBe('{\n  "model": "gpt"\n}\n');
  });

  it("count from the next start on, but for budgets, which count at once", async () => {
    const settings = open();
    const { settings: all } = await settings.change({ changes: { model: "gpt", "budgets.day.usd": 3 } });
    expect(all.filter(({ pending }) => pending === true).map(({ key }) => key)).toEqual(["model"]);
    expect(applied).toEqual([{ turn: {}, session: {}, day: { usd: 3 }, user: {}, team: {} }]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      "a value of another type",
      { "clocks.idleMs": "soon" },
      `${file}: clocks.idleMs: expected number, received string`,
    ],
    ["a key that is not there", { "clocks.idelMs": 5 }, "clocks.idelMs: unknown key; did you mean clocks.idleMs?"],
    ["one wrong value among good ones", { model: "gpt", lane: "bus" }, `${file}: lane: `],
  ])("refuse %s, and leave the file as it is", async (_name, changes, message) => {
    const settings = open('{ "model": "mine" }');
    await expect(settings.change({ changes })).rejects.toMatchObject({
      code: "invalid-request",
      message: expect.stringContaining(message),
    });
    expect([readFileSync(file, "utf8"), applied]).toEqual(['{ "model": "mine" }', []]);
  });
});
