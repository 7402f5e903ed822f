import { type MarkedPart, readMarkedPrompt } from "./marked-prompt.ts";
import type { ModelCall } from "./model.ts";

/** A part of a conversation that came as text in a prompt. */
export type HistoryPart =
  | { readonly kind: "user" | "assistant"; readonly text: string }
  | { readonly kind: "call"; readonly callId: string; readonly call: ModelCall }
  | {
      readonly kind: "result";
      readonly callId: string;
      readonly name: string;
      readonly ok: boolean;
      readonly text: string;
    };

const lead =
  /^(?:(USER|ASSISTANT):|TOOL_(CALL|RESULT) \(name: ([^,\n]+), call_id: ([^,)\n]+)(, failed)?\):?)[ \t]*\n?/gm;

/** What Caret puts behind the last result; no part of it. */
const goOn = /\n\n(?=These are the results of the calls that you made\.)/;

/** The parts of a past that came with a prompt, and of results that came instead of a question. */
export function historyParts(text: string): readonly HistoryPart[] {
  const marked = readMarkedPrompt(text);
  if (marked !== undefined) return [...marked.past, ...marked.now].flatMap(partsOf);
  const leads = [...text.matchAll(lead)];
  return leads.map((match, index): HistoryPart => {
    const end = leads[index + 1]?.index ?? text.length;
    const body = (text.slice(match.index + match[0].length, end).split(goOn)[0] ?? "")
      .replace(/\s*<\/earlier_conversation>\s*$/, "")
      .trim();
    return toPart(match, body);
  });
}

/** What the user said may be a prompt with structure of its own: one of an agent that has lost its chat. */
function partsOf({ lead: line, text }: MarkedPart): readonly HistoryPart[] {
  const [match] = line.matchAll(lead);
  if (match === undefined) return [];
  const nested = match[1] === "USER" ? historyParts(text) : [];
  return nested.length > 0 && readMarkedPrompt(text) !== undefined ? nested : [toPart(match, text.trim())];
}

function toPart([, speaker, what, name = "", callId = "", failed]: RegExpExecArray, body: string): HistoryPart {
  if (what === "CALL") return { kind: "call", callId, call: { server: "history", name, args: argsOf(body) } };
  if (what === "RESULT") return { kind: "result", callId, name, ok: failed === undefined, text: body };
  return { kind: speaker === "USER" ? "user" : "assistant", text: body };
}

/** A prompt that is nothing but results: its agent is to go on with what it was asked before. */
export function isResults(prompt: string): boolean {
  return /^\s*TOOL_RESULT \(name: /.test(prompt);
}

function argsOf(body: string): ModelCall["args"] {
  try {
    return JSON.parse(body) as ModelCall["args"];
  } catch {
    // A call whose input is plain text has no names for it.
    return { "": body };
  }
}
