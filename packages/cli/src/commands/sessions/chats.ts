import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { type Chat, type ChatSummary, configDirs, listChats, readChat } from "@caret/runtime";
import { type Command, Option } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { absolutePath } from "../../config/config-paths.ts";
import type { Config } from "../../config/config-schema.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { hostRedactor } from "../../store/log-work.ts";
import { ageText } from "../../terminal/amount-text.ts";
import { hostLook } from "../../terminal/look.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { tableLines } from "../../terminal/table-lines.ts";
import { cleanText } from "../../terminal/text-cleaner.ts";
import { chatLines } from "./chat-lines.ts";
import { chatMarkdown } from "./chat-markdown.ts";

interface ChatsOptions {
  readonly workspace?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

/** A chat and the agent configuration directory that holds it. */
interface FoundChat extends ChatSummary {
  readonly configDir: string;
}

export function addChatsCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const chats = program.command("chats").description("the chats that the agent itself keeps; they are only read");
  const finish = (command: Command): Command =>
    addConfigFlags(
      command
        .option("-w, --workspace <dir>", "those of this workspace (default: the current directory)")
        .addOption(new Option("-a, --all", "those of every workspace").conflicts("workspace"))
        .option("--json", "print JSON"),
    );
  finish(chats.command("ls").description("list chats, the most recently used first")).action(
    async (options: ChatsOptions) => done(await list(host, options)),
  );
  finish(chats.command("show").description("show what was said"))
    .argument("<id>", "the chat's id, or the beginning of it")
    .action(async (id: string, options: ChatsOptions) => done(await show(host, id, options)));
  finish(chats.command("export").description("print a chat, without secrets, as Markdown or JSON"))
    .argument("<id>", "the chat's id, or the beginning of it")
    .action(async (id: string, options: ChatsOptions) => done(await exportChat(host, id, options)));
}

async function list(host: Host, options: ChatsOptions): Promise<ExitCode> {
  const { config } = loadHostConfig(host, { ...options });
  const chats: (FoundChat & { readonly messages: number | undefined })[] = [];
  // Sequentially: each one opens a database.
  for (const chat of await findChats(host, config, options))
    chats.push({ ...chat, messages: await countMessages(chat) });
  if (options.json === true) return await printJson(host, chats);
  if (chats.length === 0) return await printLines(host, ["The agent keeps no chats here."]);
  const rows = chats.map(({ id, updatedAt, messages, workspace, name, isSubagent, damage }) => [
    id,
    ageText(updatedAt, Date.now()),
    messages === undefined ? "?" : String(messages),
    options.all === true ? (workspace ?? "") : "",
    isSubagent === true ? `${name ?? ""} (subagent)`.trimStart() : (name ?? ""),
    damage ?? "",
  ]);
  return await printLines(host, tableLines(head, rows, hostLook(host)));
}

const head = [
  { title: "id" },
  { title: "used" },
  { title: "messages", align: "right" },
  { title: "workspace", cut: "middle" },
  { title: "title", cut: "end" },
  { title: "damage", cut: "end" },
] as const;

async function show(host: Host, id: string, options: ChatsOptions): Promise<ExitCode> {
  const { config } = loadHostConfig(host, { ...options });
  const chat = await read(await findChat(host, config, id, options));
  return options.json === true ? await printJson(host, chat) : await printLines(host, chatLines(chat, hostLook(host)));
}

async function exportChat(host: Host, id: string, options: ChatsOptions): Promise<ExitCode> {
  const { config } = loadHostConfig(host, { ...options });
  const chat = hostRedactor(host, config).redactValue(await read(await findChat(host, config, id, options)));
  if (options.json === true) return await printJson(host, chat);
  // A pipe gets the text verbatim; a terminal gets it without control sequences.
  const markdown = chatMarkdown(chat);
  return await printLines(host, [host.stdout.isTTY === true ? cleanText(markdown) : markdown]);
}

async function findChats(host: Host, config: Config, options: ChatsOptions): Promise<readonly FoundChat[]> {
  const workspace = absolutePath(options.workspace ?? ".", { ...host, base: host.cwd });
  const found: FoundChat[] = [];
  for (const configDir of agentDirs(host, config)) {
    const chats = await listChats(options.all === true ? { configDir } : { configDir, workspace });
    found.push(...chats.map((chat) => ({ ...chat, configDir })));
  }
  return found.toSorted((one, other) => (other.updatedAt ?? 0) - (one.updatedAt ?? 0));
}

/** Where the agent of the configured lane keeps its chats; the simulator has its own directory. */
function agentDirs(host: Host, config: Config): readonly string[] {
  if (config.lane === "sim") return [join(config.dataDir, "simulator")];
  return config.cli.configDir === undefined ? configDirs(host) : [config.cli.configDir];
}

async function findChat(host: Host, config: Config, id: string, options: ChatsOptions): Promise<FoundChat> {
  const chats = await findChats(host, config, options);
  const found = chats.filter((chat) => chat.id === id || (id !== "" && chat.id.startsWith(id)));
  const exact = found.find((chat) => chat.id === id) ?? (found.length === 1 ? found[0] : undefined);
  if (exact !== undefined) return exact;
  if (found.length === 0)
    throw new CaretError("session-not-found", `The agent keeps no chat ${JSON.stringify(id)} here`, {
      fix: "List the chats with `caret chats ls`; --all looks into every workspace.",
    });
  throw new CaretError("invalid-request", `${found.length} chats begin with ${JSON.stringify(id)}`, {
    upstream: found.map((chat) => `${chat.id}  ${chat.name ?? ""}`.trimEnd()).join("\n"),
    fix: "Write more of the id.",
  });
}

async function read({ configDir, id }: FoundChat): Promise<Chat> {
  return await readChat({ configDir, id });
}

/** Undefined for an unreadable chat: its damage is listed with it. */
async function countMessages(chat: FoundChat): Promise<number | undefined> {
  try {
    return (await read(chat)).messages.filter(({ role }) => role === "user" || role === "assistant").length;
  } catch {
    return undefined;
  }
}
