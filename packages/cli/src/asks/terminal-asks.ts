import type { AgentEventOf, AnswerApproval, AnswerQuestion } from "@caret/protocol";
import type { OpenAsk, RunningTurn } from "@caret/runtime";
import type { Host } from "../host/host.ts";
import { approvalCard, type GrantSpan, keyOf } from "../terminal/approval-card.ts";
import { hostLook } from "../terminal/look.ts";
import { cleanLine } from "../terminal/text-cleaner.ts";
import type { TurnWriter } from "../terminal/turn-writer.ts";
import { readTypedLines } from "../terminal/typed-lines.ts";
import { type AskSurface, surfaceOf } from "./ask-surface.ts";
import { type Card, type Pages, showPages } from "./card-pages.ts";

type ApprovalRequest = AgentEventOf<"approval-request">;
type Question = AgentEventOf<"question">["questions"][number];

interface Asked {
  readonly ask: OpenAsk;
  /** Choices for the preceding questions. */
  readonly answers: { readonly questionId: string; readonly optionIds: readonly string[] }[];
}

/** Pending approvals and questions and how to answer them: in this process, or through a gateway. */
export type AskedAsks = Pick<RunningTurn["asks"], "open" | "onChange"> & {
  answerApproval(requestId: string, answer: AnswerApproval): unknown;
  answerQuestion(requestId: string, answer: AnswerQuestion): unknown;
  /** Answers a question in free text; absent if the turn cannot receive any. */
  answerInWords?(requestId: string, words: string): unknown;
};

export interface TerminalAsks {
  /** Handles a typed line. False: nothing pending could be answered by it. */
  take(line: string): boolean;
  stop(): void;
}

/** Asks the person at the terminal whatever the turn waits for; returns the function that stops it. */
export function answerInTerminal(host: Host, { asks }: Pick<RunningTurn, "asks">, writer: TurnWriter): () => void {
  /** Standard input has closed: no more answers can come. */
  const giveUp = (): void => {
    for (const { kind, requestId } of asks.open()) {
      if (kind === "question") asks.answerQuestion(requestId, {});
      else asks.answerApproval(requestId, { decision: "rejected", reason: "The terminal was closed" });
    }
  };
  const lines = readTypedLines(host, {
    onLine: (line) => terminal.take(line),
    onStale: (line) => surface.early(line),
    onClose: giveUp,
  });
  const surface = surfaceOf(writer, lines);
  const terminal = createTerminalAsks(host, asks, surface, "turn");
  return () => {
    terminal.stop();
    lines.close();
  };
}

/**
 * Asks the person one thing at a time. Only whole lines count, and only if every character was typed after the whole question had been on
 * the screen for `ARM_MS`: earlier or meaningless input decides nothing.
 */
export function createTerminalAsks(host: Host, asks: AskedAsks, surface: AskSurface, span: GrantSpan): TerminalAsks {
  let asked: Asked | undefined;
  let pages: Pages | undefined;

  const hint = (line: string): void => void surface.hint(`  ${line}`);
  const takesWords = asks.answerInWords !== undefined;
  const show = (next: Asked): void => {
    pages?.stop();
    pages = showPages(cardOf(next, host, { span, takesWords }), surface);
  };
  const askNext = (): void => {
    const open = asks.open();
    if (asked !== undefined && open.some(({ requestId }) => requestId === asked?.ask.requestId)) return;
    const hadAsked = asked !== undefined;
    const [next] = open;
    asked = next && { ask: next, answers: [] };
    if (asked !== undefined) return show(asked);
    pages?.stop();
    if (hadAsked) surface.answered();
  };
  const take = (line: string): boolean => {
    if (asked === undefined || pages === undefined) return false;
    const said = line.trim();
    const state = pages.state();
    // A no is harmless, however early.
    if (state === "armed" || /^no?\b/i.test(said)) decide(asked, said);
    else if (state === "early") surface.early(line);
    else if (said === "") pages.next();
    else hint("There is more of it. Press Enter to see the rest, or type n for no.");
    return true;
  };
  const decide = (about: Asked, said: string): void => {
    const isQuestion = about.ask.request.type === "question";
    const complaint = isQuestion ? takeChoice(asks, about, said) : takeApproval(asks, about, said);
    if (complaint === "next") show(about);
    else if (complaint !== undefined) hint(complaint);
  };

  const stop = asks.onChange(askNext);
  askNext();
  return {
    take,
    stop() {
      stop();
      pages?.stop();
    },
  };
}

function cardOf(
  { ask: { request }, answers }: Asked,
  host: Host,
  { span, takesWords }: { readonly span: GrantSpan; readonly takesWords: boolean },
): Card {
  const look = hostLook(host);
  const columns = host.stdout.isTTY === true ? look.columns : undefined;
  if (request.type === "approval-request") return approvalCard(request, { ...look, columns }, span);
  const { prompt = "", options = [], allowMultiple = false } = request.questions[answers.length] ?? {};
  return {
    body: [`${look.style.yellow(look.glyphs.question)} ${look.style.bold(cleanLine(prompt))}`],
    keys: [
      ...options.map(({ label }, index) => `  ${look.style.bold(String(index + 1))} = ${cleanLine(label)}`),
      `  Type ${allowMultiple ? "the numbers, with commas between" : "a number"}${takesWords ? ", words of your own" : ""}, or s to skip; then Enter`,
    ],
  };
}

/** Returns undefined if the line was an answer, otherwise what to tell the person. */
function takeApproval(asks: AskedAsks, { ask: { request, requestId } }: Asked, said: string) {
  if (request.type !== "approval-request") return undefined;
  const answer = readApproval(said, request);
  if (answer === undefined) return `Type y or n${request.grants?.length ? ", or a" : ""}, then Enter.`;
  asks.answerApproval(requestId, answer);
  return undefined;
}

function readApproval(said: string, { grants = [] }: ApprovalRequest): AnswerApproval | undefined {
  if (/^y(?:es)?$/i.test(said)) return { decision: "approved" };
  const no = /^no?(?:\s+(\S.*))?$/i.exec(said);
  if (no !== null) return { decision: "rejected", ...(no[1] === undefined ? {} : { reason: no[1] }) };
  const key = said.toLowerCase().replace(/^always/, "a");
  const grant = grants.find((_, index) => key === keyOf(index) || key === `a${index + 1}`);
  return grant && { decision: "approved", grant: grant.id };
}

function takeChoice(asks: AskedAsks, { ask: { request, requestId }, answers }: Asked, said: string) {
  if (request.type !== "question") return undefined;
  const question = request.questions[answers.length];
  if (question === undefined || /^s(?:kip)?$/i.test(said)) {
    asks.answerQuestion(requestId, {});
    return undefined;
  }
  const optionIds = readChoice(said, question);
  if (optionIds === undefined && said !== "" && asks.answerInWords !== undefined) {
    asks.answerInWords(requestId, said);
    return undefined;
  }
  if (optionIds === undefined) return `Type a number from 1 to ${question.options.length}, or s to skip.`;
  answers.push({ questionId: question.id, optionIds });
  if (answers.length < request.questions.length) return "next";
  asks.answerQuestion(requestId, { answers });
  return undefined;
}

function readChoice(said: string, { options, allowMultiple }: Question): readonly string[] | undefined {
  const ids = said.split(/[\s,]+/).map((word) => (/^\d+$/.test(word) ? options[Number(word) - 1]?.id : undefined));
  const known = ids.filter((id) => id !== undefined);
  return known.length === ids.length && (allowMultiple || known.length === 1) ? known : undefined;
}
