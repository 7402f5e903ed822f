import { describe, expect, it } from "vitest";
import { createConfigSchema, documentedDefaults } from "./config-schema.ts";
import { fromVariable, isSetting, listKeys, toFlag, toVariable } from "./key-names.ts";

const keys = listKeys(createConfigSchema(documentedDefaults)).map(({ key }) => key);

describe("names of settings", () => {
  it("are the words of the key", () => {
    expect([toVariable("clocks.firstEventMs"), toFlag("clocks.firstEventMs")]).toEqual([
      "CARET_CLOCKS_FIRST_EVENT_MS",
      "--clocks-first-event-ms",
    ]);
  });

  it.each(keys)("lead from %s to a variable and back", (key) => {
    expect({ isSetting: isSetting(toVariable(key)), key: fromVariable(toVariable(key), keys) }).toEqual({
      isSetting: true,
      key,
    });
  });

  it("differ for every key, as variables and as flags", () => {
    expect([new Set(keys.map(toVariable)).size, new Set(keys.map(toFlag)).size]).toEqual([keys.length, keys.length]);
  });

  it("lead nowhere from a variable nobody knows", () => {
    expect(fromVariable("CARET_CLOCKS", keys)).toBeUndefined();
  });
});
