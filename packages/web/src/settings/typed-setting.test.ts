import type { SettingView } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { groupedSettings, settingText, typedSetting, whyFixed } from "./typed-setting.ts";

const port: SettingView = {
  key: "server.port",
  meaning: "Its port.",
  kind: "number",
  value: 4141,
  default: 4141,
  from: "default",
  source: "default",
};

describe("a setting in a form", () => {
  it.each<[SettingView["kind"], unknown, string]>([
    ["number", 4141, "4141"],
    ["flag", false, "false"],
    ["list", ["/a", "/b"], "/a\n/b"],
    ["json", { a: 1 }, '{\n  "a": 1\n}'],
    ["text", undefined, ""],
  ])("is shown as it is typed: %s", (kind, value, text) => {
    expect(settingText({ ...port, kind, value })).toBe(text);
  });

  it("never shows a secret, not even as what stands for it", () => {
    expect(settingText({ ...port, kind: "text", value: "[secret]", secret: true })).toBe("");
  });

  it.each<[SettingView["kind"], string, unknown]>([
    ["number", " 2.5 ", { value: 2.5 }],
    ["number", "soon", { problem: "Write a number." }],
    ["flag", "true", { value: true }],
    ["list", "/a\n\n /b ", { value: ["/a", "/b"] }],
    ["json", '{"a":1}', { value: { a: 1 } }],
    ["json", "{", { problem: "Write JSON." }],
    ["text", " ", { problem: "Write something, or take it out of the file." }],
    ["choice", "api", { value: "api" }],
  ])("is read as its kind: %s %j", (kind, typed, expected) => {
    expect(typedSetting({ kind }, typed)).toEqual(expected);
  });
});

it("says why a setting cannot be changed here", () => {
  expect(whyFixed({ ...port, from: "variable", source: "CARET_SERVER_PORT" }, "/f")).toBe(
    "`CARET_SERVER_PORT` sets it, and counts before the file.",
  );
  expect(whyFixed({ ...port, inFileOnly: true }, "/f")).toBe("It has secrets in it. Edit `/f`.");
  expect(whyFixed({ ...port, from: "file", source: "/f" }, "/f")).toBeUndefined();
});

it("groups settings by the first part of their key, and finds them by all words", () => {
  const model = { ...port, key: "model", meaning: "The model of a turn." };
  expect(groupedSettings([model, port], "").map(([group]) => group)).toEqual(["general", "server"]);
  expect(groupedSettings([model, port], "PORT its")).toEqual([["server", [port]]]);
});
