import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Tried, tryCommand } from "../testing/try-command.ts";
import { addRunCommand } from "../turns/run.ts";
import { addChatsCommand } from "./chats.ts";

let directory: string;
let workspace: string;
let elsewhere: string;
let env: Record<string, string>;

beforeAll(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-chats-")));
  workspace = join(directory, "here");
  elsewhere = join(directory, "elsewhere");
  for (const path of [workspace, elsewhere]) mkdirSync(path);
  writeFileSync(join(workspace, "note.txt"), "use `ls` and ```fences```\n");
  env = { CARET_DATA_DIR: join(directory, "data"), CARET_LANE: "sim", PATH: process.env["PATH"] ?? "" };
  await tryCommand(addRunCommand, ["run", "read note.txt"], { cwd: workspace, env });
  await tryCommand(addRunCommand, ["run", "hi"], { cwd: elsewhere, env });
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function chats(...argv: readonly string[]): Promise<Tried> {
  return tryCommand(addChatsCommand, ["chats", ...argv], { cwd: workspace, env });
}

interface Listed {
  readonly id: string;
  readonly workspace: string;
  readonly messages: number;
}

async function listed(...argv: readonly string[]): Promise<readonly Listed[]> {
  return JSON.parse((await chats("ls", "--json", ...argv)).stdout);
}

describe("caret chats", () => {
  it("lists the agent's chats of the workspace, of another one, or of all", async () => {
    expect(await listed()).toMatchObject([{ messages: 3 }]);
    expect(await listed("--workspace", elsewhere)).toMatchObject([{ messages: 2 }]);
    expect(await listed("--all")).toHaveLength(2);
    expect((await chats("ls")).stdout).toMatch(
      /^id\tused\tmessages\tworkspace\ttitle\tdamage\n[0-9a-f-]{36}\tjust now\t3\t\tread note\.txt\t\n$/,
    );
  });

  it("shows a chat by the beginning of its id, and says where to look for one it does not have", async () => {
    const [chat] = await listed();
    const { stdout } = await chats("show", chat?.id.slice(0, 13) ?? "");
    expect(stdout).toMatch(/\n> read note\.txt\n/);
    expect(stdout).toMatch(/\n• read note\.txt\n {2}│ use `ls`/);
    const [other] = await listed("--workspace", elsewhere);
    await expect(chats("show", other?.id ?? "")).rejects.toMatchObject({
      code: "session-not-found",
      fix: expect.stringContaining("--all"),
    });
    expect((await chats("show", "--all", other?.id ?? "")).stdout).toContain("\n> hi\n");
  });

  it("exports Markdown whose fences hold what they fence, and JSON", async () => {
    const [chat] = await listed();
    const { stdout } = await chats("export", chat?.id ?? "");
    expect(stdout).toMatch(/^# read note\.txt\n\n- Chat: /);
    expect(stdout).toContain("## User\n\nread note.txt\n\n## Assistant\n");
    expect(stdout).toContain("\n````\nuse `ls` and ```fences```\n````\n");
    expect(JSON.parse((await chats("export", "--json", chat?.id ?? "")).stdout)).toMatchObject({ id: chat?.id });
  });

  it("lists a chat that is damaged with its damage", async () => {
    const hash = "0".repeat(32);
    const broken = join(directory, "data", "simulator", "chats", hash, "11111111-2222-3333-4444-555555555555");
    mkdirSync(broken, { recursive: true });
    writeFileSync(join(broken, "store.db"), "not a database");
    const { code, stdout } = await chats("ls", "--all");
    expect(code).toBe(0);
    expect(stdout).toMatch(/damage\n[\s\S]*11111111-2222-3333-4444-555555555555\t.*\t\?\t.*\n/);
  });
});
