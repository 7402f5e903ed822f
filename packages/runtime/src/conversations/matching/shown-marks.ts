import { type TranscriptMessage, trimEndOf } from "@caret/protocol";
import { fingerprint } from "../../calls/fingerprint.ts";
import { stableSystem } from "../../turns/client-notes/client-notes.ts";
import { spokenText } from "./chain.ts";
import type { LineageView } from "./lineage-store.ts";
import type { TranscriptQuestion } from "./read-question.ts";

/** Shorter lines occur in any conversation: quoting one identifies no client. */
const TELLING_LINE = 20;

/** The beginning of a long line is distinctive enough. */
const READ_LINE = 400;

/** Shorter instructions are shared by many clients, for example "You are a helpful assistant". */
const TELLING_SYSTEM = 200;

/** A side call quotes its subject near the beginning or end; a pasted book is not read through. */
const MOST_LINES = 200;

/**
 * Identifies an unnamed client later, when it shows no tools: by the instructions and questions of its requests that did. Recorded as
 * separate scopes, each limited to the same token and workspace.
 */
export function marksOf(question: TranscriptQuestion): readonly string[] {
  const { tools, messages, codingClient } = question;
  // Known clients identify themselves.
  if (tools.length === 0 || codingClient !== undefined) return [];
  const newest = messages.findLast(({ role }) => role === "user");
  return [
    placeMark(question),
    ...systemMark(question),
    ...linesOf(newest)
      .slice(0, 1)
      .map((line) => lineMark(question, line)),
  ];
}

/**
 * Whether a request without name and tools comes from a client that has shown tools: it has that client's instructions, or quotes a
 * question that was asked with tools, as in "Write a title for: …".
 */
export function bearsMark(question: TranscriptQuestion, view: Pick<LineageView, "getScope">): boolean {
  return marksToFind(question, view).some((mark) => isShown(mark, view));
}

/** The mark by which `bearsMark` knows that any client with marks exists; undefined if the request cannot bear marks. */
export function firstMark(question: TranscriptQuestion): string | undefined {
  const { tools, sessionKey, codingClient } = question;
  return tools.length > 0 || sessionKey !== undefined || codingClient !== undefined ? undefined : placeMark(question);
}

/** The marks that a request may bear; empty if its first one is unknown. */
export function marksToFind(question: TranscriptQuestion, view: Pick<LineageView, "getScope">): readonly string[] {
  const first = firstMark(question);
  if (first === undefined || !isShown(first, view)) return [];
  const lines = question.messages.flatMap(linesOf);
  const read = [...lines.slice(0, MOST_LINES), ...lines.slice(MOST_LINES).slice(-MOST_LINES)];
  return [...systemMark(question), ...new Set(read.flatMap(spellings).map((line) => lineMark(question, line)))];
}

function isShown(mark: string, view: Pick<LineageView, "getScope">): boolean {
  return view.getScope(mark)?.hasShownTools === true;
}

/** A client has offered tools here: otherwise there are no other marks, and a long transcript need not be read. */
function placeMark({ place }: TranscriptQuestion): string {
  return fingerprint(["marked", ...place]);
}

function systemMark({ place, system }: TranscriptQuestion): readonly string[] {
  const stable = stableSystem(system);
  return stable.length < TELLING_SYSTEM ? [] : [fingerprint(["instructed", ...place, stable])];
}

function lineMark({ place }: TranscriptQuestion, line: string): string {
  return fingerprint(["asked", ...place, line]);
}

/** The lines of a user's message that are long enough to be distinctive. */
function linesOf(message: TranscriptMessage | undefined): readonly string[] {
  if (message?.role !== "user") return [];
  return spokenText(message.parts)
    .split("\n")
    .map((line) => line.trim().slice(0, READ_LINE))
    .filter((line) => line.length >= TELLING_LINE);
}

/** A quoted line may have a label, quotation marks or tags: `User: "Fix it"`, `<session>Fix it</session>`. */
function spellings(line: string): readonly string[] {
  const unlabelled = line.replace(/^[^:\n]{1,60}:\s*/, "");
  return [line, unlabelled, bare(line), bare(unlabelled)].filter((text) => text.length >= TELLING_LINE);
}

/** Strips surrounding quotation marks and tags. */
function bare(line: string): string {
  let text = line.replace(/^(?:<[^>]*>|["'`“«\s])+/, "");
  for (;;) {
    text = trimEndOf(text, /["'`”»\s]/);
    const tag = text.endsWith(">") ? text.indexOf("<", text.lastIndexOf(">", text.length - 2) + 1) : -1;
    if (tag === -1) return text;
    text = text.slice(0, tag);
  }
}
