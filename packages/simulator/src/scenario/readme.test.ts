import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SimulatorSandbox, streamArgs } from "../cli/testing/simulator-sandbox.ts";
import { acpQuirkNames } from "./acp-quirks.ts";
import { quirkNames } from "./scenario.ts";
import { stepShapes } from "./step-shapes.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const examples = [...readme.matchAll(/```(json|yaml) exit=(\d+)\n(.*?)```/gs)].map(
  ([, language = "", code, text = ""]) => ({ language, code: Number(code), text }),
);

describe("the examples of the README", () => {
  it.each(examples)("run as they stand: $language, exit code $code", async ({ language, code, text }) => {
    const sandbox = new SimulatorSandbox();
    const path = join(sandbox.directory, `example.${language}`);
    writeFileSync(path, text);
    const finished = await sandbox.run([...streamArgs, "hi"], { env: { CARET_SIM_SCENARIO: path } });
    sandbox.remove();
    expect(finished).toMatchObject({ code, signal: null });
  });

  it("are more than none", () => {
    expect(examples.map(({ language }) => language)).toEqual(["json", "yaml", "json"]);
  });

  it("name every step there is", () => {
    const missing = Object.keys(stepShapes).filter((name) => !new RegExp(`\`${name}\\b`).test(readme));
    expect(missing).toEqual([]);
  });

  it("name every quirk there is", () => {
    const names = [...quirkNames, ...acpQuirkNames];
    expect(names.filter((name) => !readme.includes(`| \`${name}\` |`))).toEqual([]);
  });
});
