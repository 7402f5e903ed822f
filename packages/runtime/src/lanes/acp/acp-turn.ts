import { CaretError, type JsonObject, type Usage } from "@caret/protocol";
import { Alarm } from "../../async/alarm.ts";
import { untilAborted } from "../../async/until-aborted.ts";
import { within } from "../../async/within.ts";
import { subagentSessionIn } from "../../decode/acp/acp-subagents.ts";
import { type AcpUpdates, createAcpUpdates } from "../../decode/acp/acp-updates.ts";
import type { Decoded } from "../../decode/decoder.ts";
import type { Ending } from "../../decode/dialect.ts";
import { objectField, textField } from "../../decode/read-fields.ts";
import { readUsage } from "../../decode/read-usage.ts";
import { graceOfStop } from "../../process/hurried-stop.ts";
import { type LaneEntry, outcomeOfStop, type TakeEntries } from "../lane.ts";
import { type Over, stopFirst } from "../stop-first.ts";
import type { TurnClocks } from "../turn-clocks.ts";
import type { AcpProcess, OpenedSession, SessionListener } from "./acp-process.ts";
import { type AnswerAgent, type AnswerAgentOptions, cancelled, createAnswerAgent } from "./answer-agent.ts";
import { errorInText } from "./error-in-text.ts";
import type { AgentMessage } from "./rpc-connection.ts";

/** How long an agent may take to stop a cancelled prompt before its process is no longer trusted. */
const CANCEL_MS = 5_000;

export interface AcpTurnOptions extends Pick<AnswerAgentOptions, "request" | "signal"> {
  readonly process: AcpProcess;
  readonly session: OpenedSession;
  readonly clocks: TurnClocks;
  readonly now: () => number;
  /** Sends the prompt, or the words that follow an accepted plan, unless the signal has aborted; resolves with the agent's answer. */
  readonly prompt: (isAfterPlan: boolean, onSent: () => void) => Promise<JsonObject>;
  /** The first entry: what became known with the session. */
  readonly ready: LaneEntry;
  /** Filters a batch to what is shown; `shown` is called afterwards. */
  readonly show: (entries: readonly LaneEntry[]) => readonly LaneEntry[];
  readonly shown: () => void;
  /** Stops answering calls of offered tools. */
  readonly leave: () => void;
  /** The turn was stopped: ends what its process holds only for it. */
  readonly abandon: () => Promise<void>;
  /** Explain a refusal of the agent, and an error it states in words. */
  readonly explain: (reason: unknown) => CaretError;
  readonly explainWords: (words: string) => CaretError;
}

type FinalEnding = Exclude<Ending, { kind: "end-of-stream" }>;
/** The agent answered the prompt, or the turn ends for another reason, including a refusal. */
type PromptEnd = { readonly answer: JsonObject } | { readonly ending: FinalEnding; readonly isRefusal?: true };

/** One turn of a session, from its prompt to its end. */
export class AcpTurn implements SessionListener {
  readonly #options: AcpTurnOptions;
  readonly #take: TakeEntries;
  readonly #updates: AcpUpdates;
  readonly #asked: AnswerAgent;
  readonly #alarm = new Alarm(() => this.#expire());
  readonly #over = Promise.withResolvers<FinalEnding>();
  /** Aborts with the stop request: anything the agent says or asks afterwards is ignored. */
  readonly #stopped = new AbortController();
  /** Settles when the agent has answered the last prompt. */
  #prompted: Promise<unknown> = Promise.resolve();
  readonly #calls = new Set<string>();
  /** Unsubscribes from each subagent, by its session. */
  readonly #subagents = new Map<string, () => void>();
  /** Heard but not yet passed on. */
  #heard: Decoded[] = [];
  /** The batch still being taken. */
  #taking: Promise<void> | undefined;
  /** Number of requests waiting for a person: the agent need not say anything until then. */
  #openAsks = 0;
  #isPlanAccepted = false;

  constructor(options: AcpTurnOptions, take: TakeEntries) {
    const { request, signal, explainWords } = options;
    this.#options = options;
    this.#take = take;
    this.#updates = createAcpUpdates({ errorIn: (text) => errorInText(text, explainWords) });
    this.#asked = createAnswerAgent({
      request,
      signal: AbortSignal.any([signal, this.#stopped.signal]),
      knownCall: (callId) => this.#calls.has(callId),
      onPlanAccepted: () => {
        this.#isPlanAccepted = true;
      },
    });
    // A failure may have no listener any more: by then the turn has ended for another reason.
    this.#over.promise.catch(() => undefined);
  }

  async run(): Promise<void> {
    const { process, session, signal } = this.#options;
    const leave = process.listen(session.id, this);
    const atWork = { stop: () => this.#stop(), leave: async () => undefined };
    try {
      await stopFirst(signal, atWork, (over) => this.#work(over));
    } finally {
      this.#alarm.close();
      leave();
      for (const leaveSubagent of this.#subagents.values()) leaveSubagent();
    }
  }

  async #work(over: Over): Promise<void> {
    await this.#give([this.#options.ready]);
    for (let isAfterPlan = false; ; isAfterPlan = true) {
      const end = await this.#promptAgent(isAfterPlan);
      if ("answer" in end && this.#goesOn(end.answer)) continue;
      over("answer" in end || end.isRefusal === true ? "ended" : "its turn is over");
      return await this.#finish(end);
    }
  }

  /** Sends no prompt if the turn was stopped while earlier entries were being logged. */
  async #promptAgent(isAfterPlan: boolean): Promise<PromptEnd> {
    const { prompt, signal } = this.#options;
    if (signal.aborted) return { ending: outcomeOfStop(signal) };
    const answer = prompt(isAfterPlan, () => {
      this.#prompted = answer.catch(() => undefined); // its refusal is handled as an ending below
    });
    return await this.#endOf(answer);
  }

  hear({ method, params, raw }: AgentMessage): void {
    if (this.#stopped.signal.aborted) return;
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
      // A person may be asked only about what is already in the log.
      await this.flush();
      return await untilAborted(this.#asked.answer(message), this.#stopped.signal);
    } catch (reason) {
      // The agent stops once it has its answers, but these may be waiting for the log.
      if (this.#stopped.signal.aborted) return cancelled;
      throw reason;
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
    const taking = this.#giveHeard();
    // The agent's answer to the stop must be read even if the log is behind.
    return taking && untilAborted(taking, this.#stopped.signal).catch(() => undefined);
  }

  lost(error: CaretError): void {
    this.#over.resolve({ kind: "failed", error: error.toInfo() });
  }

  /** Treats a subagent's updates and requests as the turn's from now on. */
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
    // A subagent's todos and plans are its own, and answered like any other request.
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

  #giveHeard(): Promise<void> | undefined {
    const heard = this.#heard;
    this.#heard = [];
    return heard.length === 0 ? this.#taking : this.#give(heard);
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
      (reason: unknown): PromptEnd => ({ ending: this.#refusal(reason), isRefusal: true }),
    );
    return await Promise.race([this.#over.promise.then((ending): PromptEnd => ({ ending })), answered]);
  }

  /** Accepting a plan ends the prompt without starting the work: the agent is then prompted to carry it out, in the same turn. */
  #goesOn(answer: JsonObject): boolean {
    const goesOn = this.#isPlanAccepted && textField(answer, "stopReason") === "end_turn";
    this.#isPlanAccepted = false;
    return goesOn;
  }

  async #finish(end: PromptEnd): Promise<void> {
    await this.#giveHeard();
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

  #refusal(reason: unknown): FinalEnding {
    const { signal, explain } = this.#options;
    return signal.aborted ? outcomeOfStop(signal) : { kind: "failed", error: explain(reason).toInfo() };
  }

  async #stop(): Promise<void> {
    const { signal, leave, abandon } = this.#options;
    if (signal.aborted) this.#over.resolve(outcomeOfStop(signal));
    this.#stopped.abort();
    leave();
    await this.#cancelPrompt();
    await abandon();
  }

  /** Cancels an unanswered prompt; if the agent ignores that, its process is killed with everything it works on. */
  async #cancelPrompt(): Promise<void> {
    const { process, session, signal } = this.#options;
    if (await within(this.#prompted, 0)) return;
    process.notify("session/cancel", { sessionId: session.id });
    if (!(await within(this.#prompted, graceOfStop(signal, CANCEL_MS)))) await process.kill(unheeded());
  }
}

function unheeded(): CaretError {
  return new CaretError("killed", "The agent's process was ended: it went on with a turn that was stopped");
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

/** Undefined unless reported; no version seen so far does. */
function usageIn(answer: JsonObject): Usage | undefined {
  return readUsage(objectField(answer, "usage"));
}
