import { type AgentEvent, answerParts, type CaretError, TurnFold } from "@caret/protocol";
import type { Host } from "../host/host.ts";
import { errorLines } from "./closing-lines.ts";
import { chooseGlyphs } from "./glyphs.ts";
import { createTerminalStyle, terminalTraits } from "./look.ts";
import { toPlainJson, write } from "./print.ts";
import { cleanLine, cleanText } from "./text-cleaner.ts";
import { createTurnRenderer, type TurnRenderer } from "./turn-renderer.ts";

const TICK_MS = 100;

/** Writes a turn for the user of `caret run`. */
export interface TurnWriter {
  begin(sessionId: string, notes: readonly string[]): Promise<void>;
  take(events: readonly AgentEvent[]): Promise<void>;
  /** Asks the person at the terminal, who types below: the status line stays away until `answered`. */
  ask(lines: readonly string[]): Promise<void>;
  answered(): Promise<void>;
  /** The turn was asked to stop. */
  stopping(): Promise<void>;
  finish(): Promise<void>;
  /** The turn could not be started or followed to its end. The error itself is printed elsewhere. */
  fail(error: CaretError): Promise<void>;
}

const STOPPING = "Stopping. The session is kept; press Ctrl-C again to kill the agent at once.";

/** For people: everything as it happens. */
export function createRenderedWriter(host: Host, now: () => number = Date.now): TurnWriter {
  let renderer: TurnRenderer | undefined;
  let timer: NodeJS.Timeout | undefined;
  const put = (text: string | undefined): Promise<void> => write(host.stdout, text ?? "");
  const close = async (): Promise<void> => {
    clearInterval(timer);
    await put(renderer?.finish());
  };
  return {
    async begin(sessionId, notes) {
      const traits = terminalTraits(host);
      const created = createTurnRenderer({ ...traits, now, sessionId });
      renderer = created;
      // A slow terminal gets no more status lines than it can draw.
      const tick = (): void => void (host.stdout.writableNeedDrain || put(created.tick()));
      if (traits.isTty) timer = setInterval(tick, TICK_MS);
      for (const note of notes) await put(created.note(note));
    },
    take: (events) => put(renderer?.push(events)),
    ask: (lines) => put(renderer?.ask(lines)),
    answered: () => put(renderer?.answered()),
    async stopping() {
      renderer?.stopping();
      await put(renderer?.note(STOPPING));
    },
    finish: close,
    fail: close,
  };
}

/** For programs: one event per line, the last one always `turn-end`. */
export function createJsonWriter({ stdout, stderr }: Host): TurnWriter {
  let hasEnded = false;
  const take = async (events: readonly AgentEvent[]): Promise<void> => {
    hasEnded ||= events.some(({ type }) => type === "turn-end");
    await write(stdout, events.map((event) => `${toPlainJson(event)}\n`).join(""));
  };
  return {
    // On standard error, so standard output holds only events.
    async begin(sessionId, notes) {
      await write(stderr, [`session ${sessionId}`, ...notes].map((line) => `caret: ${cleanLine(line)}\n`).join(""));
    },
    take,
    // No person can be asked when a program reads the output.
    async ask() {},
    async answered() {},
    async stopping() {},
    async finish() {},
    async fail(error) {
      if (!hasEnded) await take([{ type: "turn-end", outcome: { kind: "failed", error: error.toInfo() } }]);
    },
  };
}

/** Only the answer, once it is complete. */
export function createQuietWriter(host: Host): TurnWriter {
  const { stdout, stderr } = host;
  const fold = new TurnFold();
  const putText = async (): Promise<void> => {
    const text = answerParts(fold.turn)
      .map((segment) => segment.trim())
      .filter((segment) => segment !== "")
      .join("\n\n");
    // A pipe gets the text verbatim; a terminal gets it without control sequences.
    const shown = stdout.isTTY === true ? cleanText(text) : text;
    await write(stdout, shown === "" ? "" : `${shown}\n`);
  };
  return {
    async begin() {},
    async take(events) {
      for (const event of events) fold.add(event);
    },
    async ask() {},
    async answered() {},
    async stopping() {},
    async finish() {
      await putText();
      const { outcome } = fold.turn;
      if (outcome?.kind !== "failed") return;
      const look = { style: createTerminalStyle(false), glyphs: chooseGlyphs(terminalTraits(host).isUtf8) };
      await write(stderr, `caret: ${errorLines(outcome.error, look).join("\n")}\n`);
    },
    fail: putText,
  };
}
