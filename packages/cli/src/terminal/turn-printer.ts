import {
  type AgentEvent,
  type AgentEventOf,
  costOf,
  isHeard,
  summaryOf,
  type Todo,
  TurnFold,
  todosOf,
  toolsOf,
} from "@caret/protocol";
import { answerLine, approvalLine, questionLines, todoLines } from "./asked-lines.ts";
import { type BlockWriter, createTextBlock, createThinkingBlock } from "./block-writer.ts";
import { closingLines } from "./closing-lines.ts";
import { type CommandOutput, createCommandOutput } from "./command-output.ts";
import type { Look } from "./look.ts";
import { createPage, type Section } from "./page.ts";
import { startLine } from "./start-line.ts";
import { cleanLine } from "./text-cleaner.ts";
import { shownArgument, toolLine } from "./tool-line.ts";
import type { TurnMoment } from "./waiting-for.ts";

export interface TurnPrinterOptions extends Look {
  readonly columns: () => number;
  readonly now: () => number;
  /** Our own session id; `--session` does not accept upstream's. */
  readonly sessionId: string | undefined;
  /** Show command output while commands run. */
  readonly isLive: boolean;
  /** Wrap prose between words. */
  readonly wraps: boolean;
}

interface Call {
  readonly startedAt: number;
  readonly depth: number;
}

/** Renders a turn's events as text, in order, for a terminal or a pipe. Knows nothing of status lines. */
export class TurnPrinter {
  readonly #options: TurnPrinterOptions;
  readonly #page = createPage();
  readonly #output: CommandOutput;
  readonly #calls = new Map<string, Call>();
  readonly #asked = new Map<string, AgentEventOf<"question" | "approval-request">>();
  /** Lines that arrived in the middle of a text line. */
  readonly #deferred: [Section, readonly string[]][] = [];
  readonly #fold = new TurnFold();
  #startedAt: number | undefined;
  #modelId: string | undefined;
  #workspace: string | undefined;
  #block: { readonly section: "text" | "thinking"; readonly writer: BlockWriter } | undefined;
  #shownTodos: readonly Todo[] = [];
  #hasSpoken = false;
  isStopping = false;

  constructor(options: TurnPrinterOptions) {
    this.#options = options;
    this.#output = createCommandOutput(options);
  }

  print(event: AgentEvent): string {
    this.#fold.add(event);
    this.#hasSpoken ||= event.type !== "turn-start" && event.type !== "session-ready" && event.type !== "notice";
    switch (event.type) {
      case "turn-start":
        return this.#start(event);
      case "session-ready":
        this.#workspace = event.workspace ?? this.#workspace;
        return "";
      case "text-start":
      case "thinking-start":
        return this.#openBlock(event.type === "text-start" ? "text" : "thinking");
      case "text-delta":
      case "thinking-delta":
        return this.#writeBlock(event.text);
      case "text-end":
      case "thinking-end":
        return this.#closeBlock();
      case "tool-call":
        this.#calls.set(event.callId, { startedAt: this.#options.now(), depth: this.#depthBelow(event.parentCallId) });
        return "";
      case "turn-end":
        return this.#close(event);
      default:
        return this.#printAside(event);
    }
  }

  /** A line of Caret's own. */
  note(text: string): string {
    const { style, glyphs } = this.#options;
    return this.#lines("notes", [style.dim(`${glyphs.notice} ${cleanLine(text)}`)]);
  }

  /** Lines for a person to answer, verbatim. Printed immediately: nobody can answer what is not on the screen. */
  ask(lines: readonly string[]): string {
    const isWithin = this.#block !== undefined && !this.#page.isAtLineStart;
    return (isWithin ? this.#page.add("\n") : "") + this.#lines("asked", lines);
  }

  get hasEnded(): boolean {
    return this.#fold.turn.outcome !== undefined;
  }

  get startedAt(): number | undefined {
    return this.#startedAt;
  }

  moment(): TurnMoment {
    const now = this.#options.now();
    const running = toolsOf(this.#fold.turn).filter(({ status }) => status === "running");
    return {
      isStopping: this.isStopping,
      hasBegun: this.#startedAt !== undefined,
      hasSpoken: this.#hasSpoken,
      openBlock: this.#block?.section,
      isAsking: this.#asked.size > 0,
      running: running.map((tool) => ({ tool, elapsedMs: now - (this.#calls.get(tool.callId)?.startedAt ?? now) })),
      workspace: this.#workspace,
    };
  }

  #start(start: AgentEventOf<"turn-start">): string {
    this.#startedAt = this.#options.now();
    this.#modelId = start.model;
    this.#workspace = start.workspace;
    return this.#lines("notes", [startLine(start, this.#options)]);
  }

  #openBlock(section: "text" | "thinking"): string {
    const writer = section === "text" ? createTextBlock(this.#prose()) : createThinkingBlock(this.#prose());
    this.#block = { section, writer };
    return "";
  }

  #prose() {
    const { style, glyphs, wraps, columns } = this.#options;
    return { style, glyphs, columns: wraps ? columns : undefined };
  }

  #writeBlock(text: string): string {
    const block = this.#block;
    if (block === undefined) return "";
    // Deferred output is printed as soon as the line is complete.
    const cut = this.#deferred.length === 0 ? 0 : text.lastIndexOf("\n") + 1;
    const head = this.#printBlock(block.section, block.writer.push(text.slice(0, cut)));
    const between = this.#flushDeferred();
    return head + between + this.#printBlock(block.section, block.writer.push(text.slice(cut)));
  }

  #closeBlock(): string {
    const block = this.#block;
    if (block === undefined) return "";
    const rest = this.#printBlock(block.section, block.writer.end());
    this.#block = undefined;
    const lineEnd = this.#page.isAtLineStart ? "" : this.#page.add("\n");
    return rest + lineEnd + this.#flushDeferred();
  }

  #printBlock(section: Section, text: string): string {
    return text === "" ? "" : this.#page.resume(section) + this.#page.add(text);
  }

  #printAside(
    event: Exclude<AgentEvent, { type: `${"text" | "thinking" | "turn" | "session"}-${string}` | "tool-call" }>,
  ): string {
    const { style, glyphs } = this.#options;
    switch (event.type) {
      case "tool-result":
        return this.#lines("tools", this.#settle(event));
      case "notice":
        if (isHeard(event)) return "";
        return event.kind === "error"
          ? this.#lines("notes", [style.yellow(`${glyphs.notice} ${cleanLine(event.message)}`)])
          : this.note(event.message);
      case "question":
        this.#asked.set(event.requestId, event);
        return this.#lines("asked", questionLines(event, this.#options));
      case "question-answer":
        return this.#lines("asked", [answerLine(event, this.#answered(event.requestId, "question"), this.#options)]);
      case "approval-request":
        this.#asked.set(event.requestId, event);
        return "";
      case "approval-answer":
        this.#restartClock(event.requestId);
        return this.#lines("tools", [approvalLine(event, this.#subjectOf(event.requestId), this.#options)]);
      case "plan":
        return this.#printPlan(event);
      case "todos":
        return this.#printTodos();
      case "tool-output":
        return this.#lines("tools", this.#output.push(event));
      case "usage":
      case "unknown":
        return "";
      default:
        return event satisfies never;
    }
  }

  #settle({ callId, durationMs }: AgentEventOf<"tool-result">): readonly string[] {
    const call = this.#calls.get(callId) ?? { startedAt: this.#options.now(), depth: 0 };
    const tool = toolsOf(this.#fold.turn).findLast((candidate) => candidate.callId === callId);
    if (tool === undefined) return [];
    const measured = { ...tool, durationMs: durationMs ?? this.#options.now() - call.startedAt };
    const { style, glyphs } = this.#options;
    const look = { style, glyphs, columns: this.#options.columns(), workspace: this.#workspace, depth: call.depth };
    return [toolLine(measured, look), ...this.#output.settle(tool)];
  }

  #printPlan({ name, overview, text }: AgentEventOf<"plan">): string {
    const { style, glyphs } = this.#options;
    const title = name === undefined ? "Plan" : `Plan: ${cleanLine(name)}`;
    const writer = createTextBlock(this.#prose());
    const body = (writer.push(text) + writer.end()).trimEnd();
    const lines = [overview === undefined ? "" : cleanLine(overview), body].filter((part) => part !== "");
    return this.#lines("asked", [`${glyphs.tools.plan} ${style.bold(title)}`, ...lines]);
  }

  #printTodos(): string {
    const todos = todosOf(this.#fold.turn);
    if (JSON.stringify(todos) === JSON.stringify(this.#shownTodos)) return "";
    this.#shownTodos = todos;
    return this.#lines("tools", todoLines(todos, this.#options));
  }

  #answered<Type extends "question" | "approval-request">(id: string, type: Type): AgentEventOf<Type> | undefined {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    return asked?.type === type ? (asked as AgentEventOf<Type>) : undefined;
  }

  /** Time spent waiting for a person does not count as running. */
  #restartClock(requestId: string): void {
    const request = this.#asked.get(requestId);
    const call = this.#calls.get(request?.callId ?? "");
    if (call !== undefined && request?.callId !== undefined)
      this.#calls.set(request.callId, { ...call, startedAt: this.#options.now() });
  }

  #subjectOf(requestId: string): string {
    const request = this.#answered(requestId, "approval-request");
    if (request === undefined) return "";
    return `${request.subject} ${shownArgument({ kind: "other", input: request.input }, this.#workspace)}`;
  }

  #depthBelow(parent: string | undefined): number {
    return parent === undefined ? 0 : (this.#calls.get(parent)?.depth ?? 0) + 1;
  }

  #close({ outcome }: AgentEventOf<"turn-end">): string {
    const { now, columns, sessionId, style, glyphs } = this.#options;
    const rest = this.#closeBlock() + this.#flushDeferred();
    const turn = summaryOf(this.#fold.turn);
    const { usage, model } = turn;
    const priced = [this.#modelId, model].filter((name) => name !== undefined);
    const cost = usage && priced.map((name) => costOf(usage, name)).find((amount) => amount !== undefined);
    const durationMs = now() - (this.#startedAt ?? now());
    const closing = { turn, outcome, durationMs, cost, sessionId, columns: columns(), style, glyphs };
    return rest + this.#lines("end", closingLines(closing));
  }

  #lines(section: Section, lines: readonly string[]): string {
    const shown = lines.filter((line) => line !== "");
    if (shown.length === 0) return "";
    if (this.#block !== undefined && !this.#page.isAtLineStart) {
      this.#deferred.push([section, shown]);
      return "";
    }
    return this.#page.begin(section) + this.#page.add(`${shown.join("\n")}\n`);
  }

  #flushDeferred(): string {
    if (this.#block !== undefined && !this.#page.isAtLineStart) return "";
    const deferred = this.#deferred.splice(0);
    return deferred.map(([section, lines]) => this.#lines(section, lines)).join("");
  }
}
