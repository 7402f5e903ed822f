import { type HistoryPart, historyParts, isResults } from "./history-parts.ts";
import type { ModelCall, ModelMessage } from "./model.ts";
import { promptsBefore, promptText } from "./prompt-text.ts";

export interface CallResult {
  readonly call: ModelCall;
  readonly ok: boolean;
  readonly output: string;
}

/** One reply of the model in the turn at hand, with what its calls gave. */
export interface Round {
  readonly results: readonly CallResult[];
}

/** The session so far, seen from the turn at hand. */
export interface TurnView {
  readonly system: string;
  readonly prompt: string;
  /** Everything that was said to the model, with what clients put around it, oldest first. */
  readonly inputs: readonly string[];
  /** Earlier prompts, oldest first. */
  readonly earlierPrompts: readonly string[];
  /** What the calls of earlier turns gave. */
  readonly earlierResults: readonly CallResult[];
  readonly rounds: readonly Round[];
}

export function viewTurn(messages: readonly ModelMessage[]): TurnView {
  const start = messages.findLastIndex(({ role }) => role === "user");
  const last = messages[start];
  const system = messages.flatMap((message) => (message.role === "system" ? [message.text] : [])).join("\n");
  const inputs = messages.flatMap((message) =>
    message.role === "system" || message.role === "user" ? [message.text] : [],
  );
  const before = messages.slice(0, Math.max(0, start));
  const users = messages.flatMap((message) =>
    message.role === "user" ? [...promptsBefore(message.text), promptText(message.text)] : [],
  );
  const view: TurnView = {
    system,
    inputs,
    prompt: users.at(-1) ?? "",
    earlierPrompts: users.slice(0, -1),
    earlierResults: before.flatMap((message) => (message.role === "tool" ? [message] : [])),
    rounds: toRounds(messages.slice(start + 1)),
  };
  return last?.role === "user" && isResults(view.prompt) ? goingOn(view, last.text, before) : view;
}

/**
 * Results that came instead of a question, because the process that asked for them is gone: the turn is the one that
 * asked for them, and what it has done so far is what the history or the chat has of it.
 */
function goingOn(view: TurnView, text: string, before: readonly ModelMessage[]): TurnView {
  const prompts = view.earlierPrompts.filter((prompt) => !isResults(prompt));
  const prompt = prompts.at(-1);
  if (prompt === undefined) return view;
  const start = before.findLastIndex((message) => message.role === "user" && !isResults(promptText(message.text)));
  const parts = historyParts(text);
  const hasHistory = parts.some(({ kind }) => kind === "user");
  const had = hasHistory ? [] : answered(toRounds(before.slice(start + 1)), parts);
  const historyRounds = roundsOf(parts.slice(parts.findLastIndex(({ kind }) => kind === "user") + 1));
  return {
    ...view,
    prompt,
    earlierPrompts: prompts.slice(0, -1),
    earlierResults: view.earlierResults.slice(0, hasHistory ? undefined : 0),
    rounds: [...(hasHistory || had.length === 0 ? historyRounds : had), ...view.rounds],
  };
}

const NO_RESULT = "No result came.";

/** Rounds of the agent that is gone; what it was still waiting for has come by now, in the order of its calls. */
function answered(rounds: readonly Round[], parts: readonly HistoryPart[]): readonly Round[] {
  const waiting = parts.flatMap((part) => (part.kind === "result" ? [part] : []));
  // What it tried after its tools were gone was never run, and is still to be done.
  const reached = rounds.slice(0, rounds.findLastIndex(({ results }) => results.some((result) => !isLost(result))) + 2);
  return reached.map(({ results }) => ({
    results: results.map((result) => {
      if (!isUnanswered(result)) return result;
      const index = waiting.findIndex(({ name }) => name === result.call.name);
      const [came] = index < 0 ? [] : waiting.splice(index, 1);
      return came === undefined ? result : { call: result.call, ok: came.ok, output: came.text };
    }),
  }));
}

/** Caret ends a turn in this way when its client has gone on without it; a call may also be lost with the tool server. */
function isUnanswered(result: CallResult): boolean {
  const { ok, output } = result;
  return output === NO_RESULT || (!ok && isToldToEnd(output)) || isLost(result);
}

/** The connection to the tool server broke while the call waited, or before it was made. */
function isLost({ ok, output }: CallResult): boolean {
  return !ok && /\b(?:connection closed|not connected)\b/i.test(output);
}

export function isToldToEnd(output: string): boolean {
  return /\bEnd your turn now\b/.test(output);
}

/** Calls that were made together, with their results; results without a call make up a round of their own. */
function roundsOf(parts: readonly HistoryPart[]): readonly Round[] {
  const results = parts.flatMap((part) => (part.kind === "result" ? [part] : []));
  const groups: { readonly callId: string; readonly call: ModelCall }[][] = [];
  let isOpen = false;
  for (const part of parts) {
    if (part.kind === "call") {
      if (!isOpen) groups.push([]);
      groups.at(-1)?.push(part);
    }
    isOpen = part.kind === "call" || (isOpen && part.kind !== "result");
  }
  const known = new Set(groups.flat().map(({ callId }) => callId));
  const strays = results.filter(({ callId }) => !known.has(callId));
  if (strays.length > 0)
    groups.push(strays.map(({ callId, name }) => ({ callId, call: { server: "history", name, args: {} } })));
  return groups.map((calls) => ({
    results: calls.map(({ callId, call }) => {
      const came = results.find((result) => result.callId === callId);
      return came === undefined ? { call, ok: false, output: NO_RESULT } : { call, ok: came.ok, output: came.text };
    }),
  }));
}

function toRounds(messages: readonly ModelMessage[]): readonly Round[] {
  const rounds: { readonly calls: readonly ModelCall[]; readonly results: CallResult[] }[] = [];
  for (const message of messages) {
    if (message.role === "assistant" && message.calls.length > 0) rounds.push({ calls: message.calls, results: [] });
    if (message.role === "tool") {
      const { call, ok, output } = message;
      rounds.at(-1)?.results.push({ call, ok, output });
    }
  }
  return rounds.map(({ calls, results }) => ({ results: inOrderOfCalls(calls, results) }));
}

/** Parallel calls end in any order; the model reads them in the order in which it asked. */
function inOrderOfCalls(calls: readonly ModelCall[], results: readonly CallResult[]): readonly CallResult[] {
  const waiting = [...results];
  return calls.map((call) => {
    const wanted = JSON.stringify(call);
    const index = waiting.findIndex((result) => JSON.stringify(result.call) === wanted);
    const [found] = index < 0 ? [] : waiting.splice(index, 1);
    return found ?? { call, ok: false, output: NO_RESULT };
  });
}
