import { CaretError, type JsonObject, type Usage } from "@caret/protocol";
import { Alarm } from "../../async/alarm.ts";
import { within } from "../../async/within.ts";
import { subagentSessionIn } from "../../decode/acp/acp-subagents.ts";
import { type AcpUpdates, createAcpUpdates } from "../../decode/acp/acp-updates.ts";
import type { Decoded } from "../../decode/decoder.ts";
import type { Ending } from "../../decode/dialect.ts";
import { objectField, textField } from "../../decode/read-fields.ts";
import { readUsage } from "../../decode/read-usage.ts";
import type { TurnClocks } from "../cli/turn-clocks.ts";
import { type LaneEntry, outcomeOfStop, type TakeEntries } from "../lane.ts";
import type { AcpProcess, OpenedSession, SessionListener } from "./acp-process.ts";
import { type AnswerAgent, type AnswerAgentOptions, createAnswerAgent } from "./answer-agent.ts";
import { errorInText } from "./error-in-text.ts";
import type { AgentMessage } from "./rpc-connection.ts";

/** How long an agent may take to stop a prompt that was cancelled, before its process is not trusted any more. */
const CANCEL_MS = 5_000;

export interface AcpTurnOptions extends Pick<AnswerAgentOptions, "request" | "signal"> {
  readonly process: AcpProcess;
  readonly session: OpenedSession;
  readonly clocks: TurnClocks;
  readonly now: () => number;
  /** Sends the prompt, or the words that go on after a plan; resolves with the agent's answer. */
  readonly prompt: (isAfterPlan: boolean) => Promise<JsonObject>;
  /** What became known with the session: the first entry. */
  readonly ready: LaneEntry;
  /** What of a batch is to be shown, and what to do when it was. */
  readonly show: (entries: readonly LaneEntry[]) => readonly LaneEntry[];
  readonly shown: () => void;
  /** What a refusal of the agent's means, and what its words do. */
  readonly explain: (reason: unknown) => CaretError;
  readonly explainWords: (words: string) => CaretError;
}

type FinalEnding = Exclude<Ending, { kind: "end-of-stream" }>;
/** The agent has answered the prompt, or the turn ends of something else. */
type PromptEnd = { readonly answer: JsonObject } | { readonly ending: FinalEnding };

/** One turn of a session, from its prompt to its end. */
export class AcpTurn implements SessionListener {
  readonly #options: AcpTurnOptions;
  readonly #take: TakeEntries;
  readonly #updates: AcpUpdates;
  readonly #asked: AnswerAgent;
  readonly #alarm = new Alarm(() => this.#expire());
  readonly #over = Promise.withResolvers<FinalEnding>();
  readonly #calls = new Set<string>();
  /** What ends listening to each subagent, by its session. */
  readonly #subagents = new Map<string, () => void>();
  /** Heard, and not given yet. */
  #heard: Decoded[] = [];
  /** What the taker has not taken yet. */
  #taking: Promise<void> | undefined;
  /** Requests that wait for a person: the agent is not expected to say anything meanwhile. */
  #openAsks = 0;
  #isPlanAccepted = false;

  constructor(options: AcpTurnOptions, take: TakeEntries) {
    const { request, signal, explainWords } = options;
    this.#options = options;
    this.#take = take;
    this.#updates = createAcpUpdates({ errorIn: (text) => errorInText(text, explainWords) });
    this.#asked = createAnswerAgent({
      request,
      signal,
      knownCall: (callId) => this.#calls.has(callId),
      onPlanAccepted: () => {
        this.#isPlanAccepted = true;
      },
    });
    // Nobody may be listening any more when it fails: the turn has ended of something else by then.
    this.#over.promise.catch(() => undefined);
  }

  async run(): Promise<void> {
    const { process, session, signal, ready } = this.#options;
    const leave = process.listen(session.id, this);
    const onAbort = (): void => this.#over.resolve(outcomeOfStop(signal));
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    let prompted: Promise<unknown> = Promise.resolve();
    try {
      await this.#give([ready]);
      for (let isAfterPlan = false; ; isAfterPlan = true) {
        const answer = this.#options.prompt(isAfterPlan);
        prompted = answer.catch(() => undefined); // its refusal is an ending below
        const end = await this.#endOf(answer);
        if ("answer" in end && this.#goesOn(end.answer)) continue;
        await this.#finish(end);
        break;
      }
    } finally {
      this.#alarm.close();
      signal.removeEventListener("abort", onAbort);
      await this.#settle(prompted);
      leave();
      for (const leaveSubagent of this.#subagents.values()) leaveSubagent();
    }
  }

  hear({ method, params, raw }: AgentMessage): void {
    this.#note(this.#read(method, params, raw));
    const announced = subagentSessionIn(objectField(params, "update") ?? {});
    if (announced !== undefined) this.#follow(announced);
  }

  async answer(message: AgentMessage): Promise<unknown> {
    const { method, params, raw } = message;
    const { toolCall } = params;
    if (method === "session/request_permission")
      this.#note(this.#updates.asksAbout(toolCall as JsonObject, this.#subagentOf(params)));
    else this.#note(this.#read(method, params, raw));
    this.#openAsks += 1;
    try {
      // A person is asked about what stands in the log already.
      await this.#flushed();
      return await this.#asked.answer(message);
    } finally {
      this.#openAsks -= 1;
      this.#options.clocks.noteAnswered("");
      this.#wind();
    }
  }

  knowsCall(callId: string): boolean {
    return this.#calls.has(callId);
  }

  flush(): Promise<void> | undefined {
    const heard = this.#heard;
    this.#heard = [];
    if (heard.length === 0) return this.#taking;
    return this.#give(heard);
  }

  lost(error: CaretError): void {
    this.#over.resolve({ kind: "failed", error: error.toInfo() });
  }

  /** What a subagent does and asks is the turn's from now on. */
  #follow(subagent: string): void {
    const { process, session } = this.#options;
    if (subagent === session.id || this.#subagents.has(subagent)) return;
    this.#subagents.set(subagent, process.listen(subagent, this));
  }

  #subagentOf(params: JsonObject): string | undefined {
    const sessionId = textField(params, "sessionId");
    return sessionId !== undefined && this.#subagents.has(sessionId) ? sessionId : undefined;
  }

  #read(method: string, params: JsonObject, raw: string): readonly Decoded[] {
    const updates = this.#updates;
    const subagent = this.#subagentOf(params);
    if (method === "session/update") {
      const update = objectField(params, "update") ?? {};
      const kept = isChunk(update) ? undefined : raw;
      return subagent === undefined ? updates.update(update, kept) : updates.ofSubagent(subagent, update, kept);
    }
    // Its todos and plans are its own, and answered as any other.
    if (subagent !== undefined) return [];
    if (method === "cursor/update_todos") return updates.todos(params, raw);
    if (method === "cursor/create_plan") return updates.plan(params, raw);
    if (method.startsWith("cursor/")) return [];
    return updates.unknown(`method:${method}`, params);
  }

  #note(decoded: readonly Decoded[]): void {
    for (const { event } of decoded) if (event.type === "tool-call") this.#calls.add(event.callId);
    this.#heard.push(...decoded);
  }

  async #flushed(): Promise<void> {
    await this.flush();
  }

  #give(entries: readonly LaneEntry[]): Promise<void> | undefined {
    const { clocks, show, shown } = this.#options;
    clocks.note(entries);
    const visible = show(entries);
    const taken = visible.length === 0 ? undefined : this.#handOver(visible);
    if (taken === undefined) {
      shown();
      this.#wind();
      return this.#taking;
    }
    const taking = taken.then(
      () => {
        if (this.#taking === taking) this.#taking = undefined;
        shown();
        this.#wind();
      },
      (reason: unknown) => this.#over.reject(reason),
    );
    this.#taking = taking;
    return taking;
  }

  #handOver(entries: readonly LaneEntry[]): Promise<void> | undefined {
    try {
      return this.#take(entries) ?? undefined;
    } catch (reason) {
      this.#over.reject(reason);
      return undefined;
    }
  }

  #wind(): void {
    const { clocks, now } = this.#options;
    if (!this.#updates.hasEnded)
      this.#alarm.set(this.#openAsks > 0 ? Number.POSITIVE_INFINITY : clocks.deadline() - now());
  }

  #expire(): void {
    if (this.#taking !== undefined) return;
    this.#over.resolve({ kind: "failed", error: this.#options.clocks.expired().toInfo() });
  }

  async #endOf(answer: Promise<JsonObject>): Promise<PromptEnd> {
    const answered = answer.then(
      (given): PromptEnd => ({ answer: given }),
      (reason: unknown): PromptEnd => ({ ending: { kind: "failed", error: this.#options.explain(reason).toInfo() } }),
    );
    return await Promise.race([this.#over.promise.then((ending): PromptEnd => ({ ending })), answered]);
  }

  /** Accepting a plan ends the prompt, and nobody begins with the work: the agent is asked to, in the same turn. */
  #goesOn(answer: JsonObject): boolean {
    const goesOn = this.#isPlanAccepted && textField(answer, "stopReason") === "end_turn";
    this.#isPlanAccepted = false;
    return goesOn;
  }

  async #finish(end: PromptEnd): Promise<void> {
    await this.#flushed();
    await this.#taking;
    const last = "ending" in end ? this.#updates.finish(end.ending) : this.#answered(end.answer);
    await this.#give(last);
  }

  #answered(answer: JsonObject): readonly Decoded[] {
    const reason = textField(answer, "stopReason") ?? "none";
    if (reason === "end_turn") return this.#updates.answered(usageIn(answer));
    const message = stopWords[reason] ?? `The agent stopped for a reason that is not known here (${reason})`;
    return this.#updates.finish({ kind: "failed", error: new CaretError("upstream-error", message).toInfo() });
  }

  /** A prompt that was not answered is cancelled; an agent that does not heed that gets no other turn. */
  async #settle(prompted: Promise<unknown>): Promise<void> {
    const { process, session } = this.#options;
    if (await within(prompted, 0)) return;
    process.notify("session/cancel", { sessionId: session.id });
    if (!(await within(prompted, CANCEL_MS))) process.retire();
  }
}

const stopWords: Readonly<Record<string, string>> = {
  cancelled: "The agent cancelled the turn by itself",
  refusal: "The agent refused to go on",
  max_tokens: "The agent stopped: its answer reached the model's limit of tokens",
  max_turn_requests: "The agent stopped: it reached its limit of requests in a turn",
};

function isChunk(update: JsonObject): boolean {
  return textField(update, "sessionUpdate")?.endsWith("_chunk") === true;
}

/** Only where it is reported; no version that was seen does. */
function usageIn(answer: JsonObject): Usage | undefined {
  return readUsage(objectField(answer, "usage"));
}
