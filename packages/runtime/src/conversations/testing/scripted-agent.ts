import { type AgentEvent, CaretError, type Usage } from "@caret/protocol";
import { type LaneRequest, outcomeOfStop } from "../../lanes/lane.ts";

/** What a scripted turn does: answer at once, fail, or talk until it is released or cancelled. */
export type Manner =
  | "answer"
  | "fail"
  | { readonly until: Promise<unknown> }
  /** Rounds of calls of the client's tools, made together; then it tells what came back. */
  | { readonly calls: readonly (readonly string[])[] }
  /** One thing after the other; then it tells what came back. */
  | { readonly steps: readonly AgentStep[] };

export type AgentStep =
  | { readonly call: readonly string[] }
  | { readonly say: string }
  | { readonly used: Usage }
  /** Works in silence until then, or until it is cancelled. */
  | { readonly until: Promise<unknown> }
  | "fail";

type Events = AsyncGenerator<readonly AgentEvent[], void, undefined>;

/** Plays one turn in a manner; `answer` is what it says when it only answers. */
export async function* playTurn(manner: Manner, answer: string, request: LaneRequest, signal: AbortSignal): Events {
  const heard: string[] = [];
  for (const [index, step] of stepsOf(manner, answer).entries()) {
    if (signal.aborted) break;
    if (step === "fail") return yield [{ type: "turn-end", outcome: failed }];
    if ("until" in step) await unlessAborted(step.until, signal);
    else if (!("call" in step)) yield said(step, `b${index}`);
    else heard.push(...(await callTools(step.call, request, signal)));
  }
  if (signal.aborted) return yield [{ type: "turn-end", outcome: outcomeOfStop(signal) }];
  const last = heard.length > 0 ? says(heard.join(" "), "last") : [];
  yield [...last, { type: "turn-end", outcome: { kind: "completed" } }];
}

function said(step: Extract<AgentStep, { readonly say: string } | { readonly used: Usage }>, blockId: string) {
  return "say" in step ? says(step.say, blockId) : [{ type: "usage" as const, usage: step.used }];
}

function stepsOf(manner: Manner, answer: string): readonly AgentStep[] {
  if (manner === "answer") return [{ say: answer }];
  if (manner === "fail") return ["fail"];
  if ("until" in manner) return [{ say: "working" }, { until: manner.until }, { say: answer }];
  return "steps" in manner ? manner.steps : manner.calls.map((call) => ({ call }));
}

async function callTools(
  names: readonly string[],
  { offered }: LaneRequest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  for (const name of names) offered?.announce({ name: "read", input: { name } });
  const results = await Promise.all(names.map((name) => offered?.call({ name: "read", input: { name } }, signal)));
  const shown = results.map((result) =>
    [result?.text, ...(result?.images ?? []).map(({ data }) => `(${data})`)].join(" "),
  );
  return names.map((name, index) => `${name}=${shown[index]}`);
}

async function unlessAborted(until: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  if (signal.aborted) resolve();
  await Promise.race([until, aborted]);
}

const failed = { kind: "failed", error: new CaretError("usage-limit", "No more today").toInfo() } as const;

function says(text: string, blockId: string): readonly AgentEvent[] {
  return [
    { type: "text-start", blockId },
    { type: "text-delta", blockId, text },
    { type: "text-end", blockId },
  ];
}
