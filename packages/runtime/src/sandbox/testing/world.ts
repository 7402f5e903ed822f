import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { EscapeAttempt } from "./escape-attempt.ts";

/** A small machine of files around a workspace, with a process outside, for attempts to be aimed at. */
export interface World {
  readonly directory: string;
  readonly workspace: string;
  readonly home: string;
  readonly dataDir: string;
  /** The variables that attempts use. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const CANARY = "CANARY\n";

const files: Readonly<Record<string, string>> = {
  "outside/secret": CANARY,
  "outside/file": "",
  "home/.ssh/id_ed25519": CANARY,
  "home/.bashrc": "",
  "home/.gitconfig": "[user]\n\tname = Ada\n\temail = ada@example.com\n[credential]\n\thelper = CANARY\n",
  "home/documents/letter": CANARY,
  "home/.cursor/mcp.json": '{"mcpServers":{"CANARY":{}}}',
  "home/.cursor/cli-config.json": '{"version":1}',
  "home/.cursor/auth.json": '{"accessToken":"login"}',
  "home/.cursor/chats/other/store.db": CANARY,
  "data/tokens.json": CANARY,
  "data/sandboxes/sessions/battery/cursor/mcp.json": "{}",
  "projects/ws/.cursor/rules/own.mdc": "Be brief.",
  "projects/ws/.cursor/rules/other.mdc": "Be kind.",
  "projects/ws/.vscode/tasks.json": "{}",
  "projects/ws/.envrc": "",
  "projects/ws/shared.gitconfig": "",
  "projects/ws/githooks/inner/pre-commit": "",
  "projects/ws/.git/HEAD": "ref: refs/heads/main\n",
  "projects/ws/.git/config":
    "[core]\n\trepositoryformatversion = 0\n\thooksPath = githooks/inner\n[include]\n\tpath = ../shared.gitconfig\n",
  "projects/ws/.git/hooks/pre-commit": "#!/bin/sh\n",
  "projects/ws/.git/objects/info/packs": "",
  "projects/ws/.git/refs/heads/.keep": "",
  "projects/ws/.git/modules/sub/config": "",
  "projects/ws/.git/worktrees/w/commondir": "../..\n",
};

/** `tools` holds the compiled program of attempt.c. */
export async function createWorld(directory: string, tools: string): Promise<World> {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(directory, dirname(name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  const program = join(tools, "attempt");
  const cwd = join(directory, "outside");
  const victim = spawn(program, ["victim", cwd], { cwd, stdio: ["ignore", "pipe", "ignore"], detached: true });
  const facts = await firstLine(victim);
  const keyName = `caret-${victim.pid}`;
  const shared = `caret-${victim.pid}`;
  spawnSync(program, ["key-add", keyName]);
  writeFileSync(join("/dev/shm", shared), CANARY);
  const workspace = join(directory, "projects", "ws");
  return {
    directory,
    workspace,
    home: join(directory, "home"),
    dataDir: join(directory, "data"),
    env: {
      ...Object.fromEntries(
        facts
          .trim()
          .split(" ")
          .map((fact) => fact.split("=") as [string, string]),
      ),
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: join(directory, "home"),
      WORLD: directory,
      WS: workspace,
      COPY: join(directory, "data/sandboxes/sessions/battery/cursor"),
      GATEWAY: String(process.pid),
      TOOLS: tools,
      A: program,
      KEYNAME: keyName,
      SHM: shared,
    },
    async close() {
      rmSync(join("/dev/shm", shared), { force: true });
      victim.kill("SIGKILL");
      await once(victim, "exit");
      spawnSync(program, ["release", /KEY=(-?\d+)/.exec(facts)?.[1] ?? "0"]);
    },
  };
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("The victim has no output");
  const [chunk] = (await once(stdout, "data")) as [Buffer];
  return chunk.toString();
}

/** One script that runs them all, each with a time limit, and prints the exit code of each on a line. */
export function runnerScript(attempts: readonly EscapeAttempt[]): string {
  const calls = attempts.map(({ script }, index) => {
    const quoted = `'${script.replaceAll("'", `'\\''`)}'`;
    return `MARK=${markOf(index)} timeout 5 sh -c ${quoted} >/dev/null 2>&1 </dev/null; echo $?`;
  });
  return calls.join("\n");
}

/** Which of them got through, by their exit codes and by what they wrote in the world. */
export async function escaped(
  attempts: readonly EscapeAttempt[],
  output: AsyncIterable<Uint8Array>,
  { directory }: World,
): Promise<readonly boolean[]> {
  const codes = (await text(output)).trim().split("\n").map(Number);
  if (codes.length !== attempts.length) throw new Error(`${codes.length} of ${attempts.length} attempts were made`);
  return attempts.map(({ mark }, index) =>
    mark === undefined ? codes[index] === 0 : readText(join(directory, mark)).includes(markOf(index)),
  );
}

function markOf(index: number): string {
  return `ESCAPED-${index}-`;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // nobody has written it
  }
}
