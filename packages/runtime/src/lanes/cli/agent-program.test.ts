import { CaretError } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { findProgram, type ModelEntry, type ProgramSettings } from "./agent-program.ts";

const entry: ModelEntry = { args: [], promptAsArg: false, authProfiles: [], fallbackModels: [], enabled: true };
const settingsOf = (more: Partial<ProgramSettings> = {}): ProgramSettings => ({
  command: undefined,
  args: [],
  promptAsArg: false,
  models: {},
  ...more,
});

describe("the program behind a model", () => {
  it("is the official CLI in print mode with partial output, unless the configuration names another", () => {
    expect(findProgram("gpt-5", settingsOf({ command: "cursor-agent", args: ["--verbose"] }))).toEqual({
      style: "official",
      command: "cursor-agent",
      args: ["--verbose", "-p", "--output-format", "stream-json", "--stream-partial-output"],
      model: "gpt-5",
      partial: true,
      promptAsArg: false,
      headless: false,
      timeoutMs: undefined,
      profiles: [],
      fallbackModels: [],
    });
  });

  it("is the official CLI as an entry of openclaw.json describes it", () => {
    const cursor: ModelEntry = {
      ...entry,
      command: "agent",
      args: ["-p", "--output-format", "stream-json", "--stream-partial-output", "--model", "auto"],
      promptAsArg: true,
      timeoutMs: 120_000,
      authProfiles: ["default", "work"],
      fallbackModels: ["fallback"],
    };
    expect(findProgram("cursor-auto", settingsOf({ models: { "cursor-auto": cursor } }))).toEqual({
      style: "official",
      command: "agent",
      args: cursor.args,
      model: undefined,
      partial: true,
      promptAsArg: true,
      headless: true,
      timeoutMs: 120_000,
      profiles: ["default", "work"],
      fallbackModels: ["fallback"],
    });
  });

  it("is a contract program where the prompt is no argument", () => {
    const custom = findProgram("own", settingsOf({ models: { own: { ...entry, command: "my-cli", args: ["auto"] } } }));
    expect({ style: custom.style, command: custom.command, args: custom.args, headless: custom.headless }).toEqual({
      style: "contract",
      command: "my-cli",
      args: ["auto"],
      headless: false,
    });
  });

  it("is the lane's own, with the lane's arguments, where an entry says nothing about a program", () => {
    const lane = settingsOf({ command: "/opt/agent", args: ["--verbose"], promptAsArg: true });
    const model = "claude-sonnet-5-high";
    const only = (more: Partial<ModelEntry>) =>
      findProgram(model, { ...lane, models: { [model]: { ...entry, ...more } } });
    const own = findProgram(model, lane);
    expect({
      fallbacks: only({ fallbackModels: ["auto"] }),
      profiles: only({ authProfiles: ["work"] }),
      timeout: only({ timeoutMs: 5_000 }),
      nothing: only({}),
      argument: only({ promptAsArg: true }),
    }).toEqual({
      fallbacks: { ...own, fallbackModels: ["auto"] },
      profiles: { ...own, profiles: ["work"] },
      timeout: { ...own, timeoutMs: 5_000 },
      nothing: own,
      argument: { ...own, headless: true },
    });
  });

  it("takes the arguments of such an entry besides its own, and asks for print mode once", () => {
    const argsOf = (args: readonly string[]) => {
      const { style, args: all, partial, model } = findProgram("m", settingsOf({ models: { m: { ...entry, args } } }));
      return { style, args: all.join(" "), partial, model };
    };
    const stream = "--output-format stream-json --stream-partial-output";
    expect([
      argsOf(["--add-dir", "/x"]),
      argsOf(["-p", "--model", "y"]),
      argsOf(["--output-format=stream-json"]),
    ]).toEqual([
      { style: "official", args: `--add-dir /x -p ${stream}`, partial: true, model: "m" },
      { style: "official", args: `-p --model y ${stream}`, partial: true, model: undefined },
      { style: "official", args: "--output-format=stream-json -p", partial: false, model: "m" },
    ]);
  });

  it("always names a model, because the CLI would take the last one used", () => {
    const models = { own: { ...entry, promptAsArg: true, args: ["-p"] }, named: { ...entry, args: ["--model=x"] } };
    expect([
      findProgram("own", settingsOf({ models })).model,
      findProgram("named", settingsOf({ models })).model,
    ]).toEqual(["auto", undefined]);
  });

  it("is none when the entry is switched off, and the error says how to switch it on", () => {
    const settings = settingsOf({ models: { own: { ...entry, enabled: false } } });
    expect(() => findProgram("own", settings)).toThrow(CaretError);
    expect(() => findProgram("own", settings)).toThrow(/switched off/);
  });

  it.each(["constructor", "__proto__", "toString"])("is not what JavaScript happens to call %s", (name) => {
    expect(findProgram(name, settingsOf()).model).toBe(name);
  });
});
