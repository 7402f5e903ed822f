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
  /** Earlier prompts, oldest first. */
  readonly earlierPrompts: readonly string[];
  /** What the calls of earlier turns gave. */
  readonly earlierResults: readonly CallResult[];
  readonly rounds: readonly Round[];
}

export function viewTurn(messages: readonly ModelMessage[]): TurnView {
  const start = messages.findLastIndex(({ role }) => role === "user");
  const users = messages.flatMap((message) =>
    message.role === "user" ? [...promptsBefore(message.text), promptText(message.text)] : [],
  );
  return {
    system: messages.flatMap((message) => (message.role === "system" ? [message.text] : [])).join("\n"),
    prompt: users.at(-1) ?? "",
    earlierPrompts: users.slice(0, -1),
    earlierResults: messages
      .slice(0, Math.max(0, start))
      .flatMap((message) => (message.role === "tool" ? [message] : [])),
    rounds: toRounds(messages.slice(start + 1)),
  };
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
    return found ?? { call, ok: false, output: "No result came." };
  });
}
