import { constants } from "node:fs";
import { type FileHandle, open, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { AgentCommandView, LaneName } from "@caret/protocol";
import { configDirs } from "../chats/chat-exists.ts";
import { wayInside } from "../paths/physical-path.ts";

const MAX_COMMANDS = 200;
const MAX_BYTES = 64 * 1024;
const FILE_NAME = /^([\w][\w.-]{0,99})\.md$/;
const DESCRIPTION_LENGTH = 120;
/** An agent may put a pipe where a file was listed: opening one waits for a writer, in a thread that the log needs too. */
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | (constants.O_NONBLOCK ?? 0);

export interface AgentCommandsOptions {
  /** The gateway's own: says where the user keeps the agent's files. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the agent of the `acp` lane has announced in a workspace. */
  readonly announcedCommands?: (workspace: string) => readonly AgentCommandView[];
}

/**
 * The agent's own `/` commands: Markdown files in `.cursor/commands` of the workspace and of the user, as Cursor has them, and what
 * the agent itself has announced. The workspace's come before the user's of the same name.
 */
export async function agentCommands(
  { env, announcedCommands }: AgentCommandsOptions,
  workspace: string,
  lane: LaneName | undefined,
): Promise<readonly AgentCommandView[]> {
  const home = env["HOME"] ?? env["USERPROFILE"];
  const ofUser = home === undefined ? [] : configDirs({ env, home });
  const found = [
    ...(await readCommands(join(workspace, ".cursor", "commands"), { source: "workspace", within: workspace })),
    ...(
      await Promise.all(ofUser.map((dir) => readCommands(join(dir, "commands"), { source: "user", within: dir })))
    ).flat(),
    ...(lane === "acp" ? (announcedCommands?.(workspace) ?? []) : []),
  ];
  const byName = new Map<string, AgentCommandView>();
  for (const command of found) if (!byName.has(command.name)) byName.set(command.name, command);
  return [...byName.values()].slice(0, MAX_COMMANDS);
}

interface CommandPlace {
  readonly source: "workspace" | "user";
  /** A link that leads out of it is not followed. */
  readonly within: string;
}

async function readCommands(directory: string, place: CommandPlace): Promise<readonly AgentCommandView[]> {
  const { real, names } = await listFiles(directory, place.within);
  const read = await Promise.all(names.slice(0, MAX_COMMANDS).map((name) => readCommand(real, name, place.source)));
  return read.filter((command) => command !== undefined);
}

/** The directory without links, and the files in it. */
async function listFiles(
  directory: string,
  within: string,
): Promise<{ readonly real: string; readonly names: readonly string[] }> {
  try {
    const [real, home] = await Promise.all([realpath(directory), realpath(within)]);
    if (wayInside(home, real) === undefined) return { real, names: [] };
    const entries = await readdir(real, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    return { real, names: names.toSorted() };
  } catch {
    return { real: directory, names: [] }; // most workspaces have none
  }
}

async function readCommand(
  directory: string,
  fileName: string,
  source: CommandPlace["source"],
): Promise<AgentCommandView | undefined> {
  const name = FILE_NAME.exec(fileName)?.[1];
  if (name === undefined) return undefined;
  let file: FileHandle | undefined;
  try {
    file = await open(join(directory, fileName), READ_ONLY);
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > MAX_BYTES) return undefined;
    const text = withoutFrontMatter(await file.readFile("utf8")).trim();
    return text === "" ? undefined : { name, source, description: firstLine(text), text };
  } catch {
    return undefined; // gone since it was listed, or not readable: a command that cannot be used
  } finally {
    await file?.close();
  }
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, "");
}

function firstLine(text: string): string {
  const [line = ""] = text.split("\n", 1);
  return line
    .replace(/^#+\s*/, "")
    .trim()
    .slice(0, DESCRIPTION_LENGTH);
}
