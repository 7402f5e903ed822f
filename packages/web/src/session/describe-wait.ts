import { mainArgument, type SessionStatus, type TranscriptItem, type TranscriptTurn } from "@caret/protocol";

/** What a running turn waits for. `since` is when that began; absent while something arrives all the time. */
export interface Wait {
  readonly on: "person" | "client" | "tool" | "model" | "agent";
  readonly words: string;
  readonly since?: number;
}

type ToolItem = Extract<TranscriptItem, { readonly kind: "tool" }>;

/** A pause longer than this is shown: shorter ones are normal between deltas. */
const SILENCE_MS = 3_000;
const MAX_SUBJECT = 60;

/** What the turn waits for now, or undefined when it has ended. */
export function describeWait(turn: TranscriptTurn, now: number, status?: SessionStatus): Wait | undefined {
  if (turn.outcome !== undefined) return undefined;
  return waitForPerson(turn) ?? waitForTools(turn, status) ?? waitForModel(turn, now);
}

function waitForPerson({ items }: TranscriptTurn): Wait | undefined {
  for (const item of items) {
    if (item.kind === "approval" && item.answer === undefined)
      return { on: "person", words: "Waiting for your approval", since: item.at };
    if (item.kind === "question" && item.answer === undefined)
      return { on: "person", words: "Waiting for your answer", since: item.at };
  }
  return undefined;
}

function waitForTools(turn: TranscriptTurn, status: SessionStatus | undefined): Wait | undefined {
  const running = turn.items.filter((item) => item.kind === "tool" && item.tool.status === "running") as ToolItem[];
  const [first] = running;
  if (first === undefined) return undefined;
  // Work inside a task is the task's: what the turn itself waits for is the outermost call.
  const outer = running.filter((item) => item.parentCallId === undefined);
  const shown = outer[0] ?? first;
  const isClient = shown.tool.owner === "client" || (status?.kind === "waiting" && status.waitsFor === "client");
  const subject = outer.length > 1 ? `${outer.length} tools` : describeCall(shown);
  return isClient
    ? { on: "client", words: `Waiting for the client to run ${subject}`, since: shown.startedAt }
    : { on: "tool", words: `Running ${subject}`, since: shown.startedAt };
}

function waitForModel(turn: TranscriptTurn, now: number): Wait {
  const last = turn.items.at(-1);
  if (last === undefined && turn.ready === undefined)
    return { on: "agent", words: "Waiting for the agent's first word", since: turn.startedAt };
  if (last?.kind === "thinking" && last.isOpen) return { on: "model", words: "Thinking", since: last.startedAt };
  const isQuiet = now - turn.lastAt > SILENCE_MS;
  if (last?.kind === "text" && last.isOpen && !isQuiet) return { on: "model", words: "Writing" };
  return { on: "model", words: "Waiting for the model", since: turn.lastAt };
}

/** `npm test`, `fetch https://…`: the call in the words a person would use. */
function describeCall({ tool }: ToolItem): string {
  const argument = mainArgument(tool).split("\n")[0]?.trim() ?? "";
  const short = argument.length > MAX_SUBJECT ? `${argument.slice(0, MAX_SUBJECT - 1)}…` : argument;
  if (tool.kind === "shell" && short !== "") return short;
  if (tool.kind === "mcp") return tool.server === undefined ? tool.name : `${tool.server} · ${tool.name}`;
  return short === "" ? tool.name : `${tool.name} ${short}`;
}
