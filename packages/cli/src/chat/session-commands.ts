import { buildPrompt, CaretError, type SessionView, usageWords } from "@caret/protocol";
import { changeLines } from "../terminal/diff-lines.ts";
import { cleanLine } from "../terminal/text-cleaner.ts";
import type { ChatCommand, ChatControls } from "./chat-command.ts";
import { findView } from "./find-view.ts";
import { listForPicker, sessionChoice } from "./session-choices.ts";

/** Commands for the session, its queue and its turn. */
export const sessionCommands: readonly ChatCommand[] = [
  { name: "diff", summary: "what changed in the workspace", run: showChanges },
  { name: "build", summary: "have the plan of the last turn built", run: buildPlan },
  { name: "stop", summary: "stop the turn that runs (Esc)", run: stopTurn },
  {
    name: "queue",
    argument: "[prompt]",
    summary: "what waits for the end of the turn; drop N, send",
    run: useQueue,
  },
  {
    name: "sessions",
    argument: "[id]",
    summary: "open another session, running ones too",
    choices: async ({ client, chat }) =>
      (await listForPicker(client, chat.workspace)).map((view) => sessionChoice(view, Date.now())),
    run: openAnother,
  },
  { name: "new", summary: "begin a new session", run: (controls) => controls.open(undefined) },
  { name: "fork", summary: "go on in a copy of this session", run: fork },
  {
    name: "title",
    argument: "<words>",
    summary: "rename this session",
    run: async ({ chat }, argument) => await chat.change({ title: argument }),
  },
  { name: "usage", summary: "what this session has used", run: showUsage },
];

async function showChanges({ client, chat, look, note }: ChatControls): Promise<void> {
  const { isRepository, files, omitted } = await client.changes(openSession(chat.view).id);
  if (!isRepository) return note(["The workspace is not a Git repository: there is nothing to compare with."]);
  if (files.length === 0) return note(["Nothing has changed since the last commit."]);
  const lines = files.flatMap(({ path, status, unified, additions = 0, deletions = 0 }) => [
    `${look.style.bold(cleanLine(path))} ${look.style.dim(status)} ${look.style.green(`+${additions}`)} ${look.style.red(`${look.glyphs.minus}${deletions}`)}`,
    ...(unified === undefined ? [look.style.dim("  (binary, or too large to show)")] : changeLines({ unified }, look)),
  ]);
  note([...lines, ...(omitted === 0 ? [] : [`${look.glyphs.ellipsis} and ${omitted} more files`])]);
}

async function buildPlan({ chat }: ChatControls): Promise<void> {
  const turn = chat.transcript.turns.at(-1);
  if (!turn?.items.some(({ kind }) => kind === "plan"))
    throw new CaretError("invalid-request", "The last turn has made no plan", {
      fix: "Type /mode plan, and ask for one.",
    });
  chat.mode = "agent";
  await chat.send(buildPrompt(turn));
}

async function stopTurn({ chat, note }: ChatControls): Promise<void> {
  if (!(await chat.stop())) note(["No turn runs."]);
}

async function useQueue({ chat, note }: ChatControls, argument: string): Promise<void> {
  const drop = /^drop\s+(\d+)$/.exec(argument)?.[1];
  if (argument === "send") return await chat.sendQueued();
  if (drop !== undefined) {
    const prompt = await chat.dequeue(Number(drop) - 1);
    if (prompt === undefined) throw new CaretError("invalid-request", `Nothing is queued at position ${drop}`);
    return note([`Dropped: ${cleanLine(prompt)}`]);
  }
  if (argument === "")
    return note([chat.queue.prompts.length === 0 ? "Nothing waits." : "What waits is listed above the prompt."]);
  await chat.enqueue(argument);
}

async function openAnother(controls: ChatControls, argument: string): Promise<void> {
  const { client, chat, now, pick, open } = controls;
  if (argument !== "") return await open(await findView(client, argument));
  const views = await listForPicker(client, chat.workspace);
  const others = views.filter(({ id }) => id !== chat.view?.id).map((view) => sessionChoice(view, now()));
  const id = await pick("Sessions", others);
  if (id !== undefined) await open(await client.getSession(id));
}

async function fork({ client, chat, open, note }: ChatControls): Promise<void> {
  const { id, title } = openSession(chat.view);
  await open(await client.forkSession(id, {}));
  note([`A copy of “${cleanLine(title)}”. The first one stays as it is; both work on the same files.`]);
}

async function showUsage({ client, chat, look, note }: ChatControls): Promise<void> {
  const { usage } = await client.getSession(openSession(chat.view).id);
  const words = usage === undefined ? [] : usageWords(usage);
  note([words.length === 0 ? "Nothing was reported." : words.join(` ${look.glyphs.separator} `)]);
}

function openSession(view: SessionView | undefined): SessionView {
  if (view !== undefined) return view;
  throw new CaretError("invalid-request", "This session has not begun yet", { fix: "Ask something first." });
}
