import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../house/lint-planted.ts";
import { MortalGateway } from "./mortal-gateway.ts";
import { OneShell, type Seen } from "./one-shell.ts";
import { caretCommand } from "./run-in-terminal.ts";

const pages = ["docs/native.md", "docs/mcp.md"];
const ADDRESS = "http://127.0.0.1:4141";

/** What a reader types, or a program they save; and what they then see. */
interface Example {
  readonly name: string;
  readonly language: "console" | "ts";
  readonly command: string;
  readonly printed: readonly string[];
}

function readExamples(page: string): readonly Example[] {
  const text = readFileSync(`${root}/${page}`, "utf8");
  return [...text.matchAll(/^```(console|ts)\n([\s\S]*?)^```$(?:\n\n```text\n([\s\S]*?)^```$)?/gm)].flatMap(
    ([, language, body = "", printed = ""]): readonly Example[] => {
      if (language === "ts") {
        const name = /^(?:const|await) .*$/m.exec(body)?.[0] ?? "";
        return [{ name, language, command: body, printed: printed.trimEnd().split("\n") }];
      }
      return body
        .split(/^\$ /m)
        .slice(1)
        .map((step) => {
          const [command = "", ...printed] = step.trimEnd().split("\n");
          return { name: command, language: "console", command, printed };
        });
    },
  );
}

/** `…` stands for anything on its line. What is printed beyond the example does not matter. */
function toPattern(printed: readonly string[]): RegExp {
  const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(`^${printed.map((line) => line.split("…").map(literally).join(".*")).join("\n")}`);
}

const tools = ["curl", "jq"];
const canRun = tools.every((tool) => spawnSync(tool, ["--version"]).status === 0);

let gateway: MortalGateway;
let shell: OneShell;
beforeAll(async () => {
  gateway = await MortalGateway.start();
  const { directory, workspace } = gateway.home;
  const bin = join(directory, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "caret"), `#!/bin/sh\nexec "${process.execPath}" "${caretCommand}" "$@"\n`);
  chmodSync(join(bin, "caret"), 0o755);
  const env = gateway.home.environment();
  const known = { GATEWAY_TOKEN: gateway.process.token, PROJECT: workspace };
  shell = new OneShell({ cwd: workspace, env: { ...env, ...known, PATH: `${bin}:${env["PATH"]}` } });
});
afterAll(async () => {
  shell.close();
  await gateway.remove();
});

function run({ language, command }: Example): Promise<Seen> {
  const text = command.replaceAll(ADDRESS, gateway.process.url);
  if (language === "console") return shell.type(text);
  // From the repository, where the packages are found.
  const node = `"${process.execPath}" --input-type=module-typescript -`;
  return shell.type(`(cd "${root}" && ${node} <<'END'\n${text}\nEND\n)`);
}

it("knows examples in a shell and in TypeScript", () => {
  expect(Map.groupBy(pages.flatMap(readExamples), ({ language }) => language).size).toBe(2);
});

describe.skipIf(!canRun).each(pages)("%s", (page) => {
  const examples = readExamples(page);

  // In the order of the page: an example may build on those before it.
  it.each(examples)("is true: $name", async (example) => {
    const { code, stdout, stderr } = await run(example);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(toPattern(example.printed));
  });
});
