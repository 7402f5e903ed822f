import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "../clients/gateway-home.ts";
import { caret, type GatewayProcess, startGateway } from "../clients/gateway-process.ts";
import { root } from "../house/lint-planted.ts";

interface Step {
  readonly command: string;
  readonly printed: readonly string[];
}

const steps: readonly Step[] = [
  ...readFileSync(`${root}/docs/agents.md`, "utf8").matchAll(/^```console\n([\s\S]*?)^```$/gm),
].flatMap(([, body = ""]) =>
  body
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = "", ...printed] = step.trimEnd().split("\n");
      return { command, printed };
    }),
);

/** `…` stands for anything on its line; blanks are not counted. What is printed beyond the example does not matter. */
function toPattern(printed: readonly string[]): RegExp {
  const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const lines = printed.map((line) =>
    line
      .split("…")
      .map((part) => part.trim().split(/\s+/).map(literally).join("\\s+"))
      .join(".*"),
  );
  return new RegExp(`^${lines.map((line) => `\\s*${line}\\s*?`).join("\\n")}`);
}

let home: GatewayHome;
let gateway: GatewayProcess;
beforeAll(async () => {
  home = new GatewayHome();
  const bin = join(home.directory, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "caret"), `#!/bin/sh\nexec "${process.execPath}" "${caret}" "$@"\n`);
  chmodSync(join(bin, "caret"), 0o755);
  writeFileSync(join(home.workspace, "note.txt"), "hello\n");
  gateway = await startGateway(home, { args: ["--port", "0", "--workspace", home.workspace] });
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

function type(command: string): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const { PATH, ...env } = home.environment();
  const options = { cwd: home.workspace, env: { ...env, PATH: `${join(home.directory, "bin")}:${PATH}` } };
  return new Promise((settle) => {
    const shell = execFile("sh", ["-c", command], options, (error, stdout, stderr) =>
      settle({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    shell.stdin?.end();
  });
}

describe("docs/agents.md", () => {
  // In the order of the page: an example builds on those before it.
  it.each(steps)(
    "is true: $command",
    async ({ command, printed }) => {
      const { code, stdout, stderr } = await type(command);
      expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(toPattern(printed));
    },
    30_000,
  );
});
