import type { EventEnvelope, NativeClient } from "@caret/protocol";
import type { Host } from "../host/host.ts";
import { hostLook } from "../terminal/look.ts";
import { printLines, toPlainJson, write } from "../terminal/print.ts";
import { cleanLine, cleanText } from "../terminal/text-cleaner.ts";
import { createRenderedWriter, type TurnWriter } from "../terminal/turn-writer.ts";

/** How many events to look back for the start of the newest turn. */
const LOOK_BACK = 1_000;

/** Shows a session's events as they arrive. */
export interface FollowedTranscript extends Pick<TurnWriter, "ask" | "answered"> {
  take(batch: readonly EventEnvelope[]): Promise<void>;
  note(text: string): Promise<unknown>;
  close(): Promise<void>;
}

/** One event per line, for programs. */
export function jsonTranscript(host: Host): FollowedTranscript {
  return {
    take: async (batch) =>
      void (await printLines(
        host,
        batch.map((envelope) => toPlainJson(envelope)),
      )),
    note: (text) => write(host.stderr, `caret: ${cleanLine(text)}\n`),
    // A program reads the output, and asks are among the events.
    ask: async () => undefined,
    answered: async () => undefined,
    close: async () => undefined,
  };
}

/** One turn after another, as `caret run` shows them. */
export function printedTranscript(host: Host, sessionId: string): FollowedTranscript {
  const { style } = hostLook(host);
  let writer: ReturnType<typeof createRenderedWriter> | undefined;
  const end = async (): Promise<void> => {
    await writer?.finish();
    writer = undefined;
  };
  return {
    async take(batch) {
      for (const { event } of batch) {
        if (event.type === "turn-start") {
          await end();
          const prompt = cleanText(event.prompt ?? "")
            .trim()
            .split("\n");
          await printLines(host, ["", ...prompt.map((line) => `${style.cyan(">")} ${style.bold(line)}`)]);
          writer = createRenderedWriter(host);
          await writer.begin(sessionId, []);
        }
        await writer?.take([event]);
        if (event.type === "turn-end") await end();
      }
    },
    note: (text) => write(host.stderr, `caret: ${cleanLine(text)}\n`),
    async ask(asked) {
      if (writer === undefined) await printLines(host, asked);
      else await writer.ask(asked);
    },
    answered: async () => await writer?.answered(),
    close: end,
  };
}

/** The seq before the newest turn; following from there shows all of it. */
export async function beforeNewestTurn(client: NativeClient, sessionId: string, lastSeq: number): Promise<number> {
  if (lastSeq === 0) return 0;
  const { events } = await client.readLog(sessionId, { before: lastSeq + 1, limit: LOOK_BACK });
  const start = events.findLast(({ event }) => event.type === "turn-start");
  return start === undefined ? lastSeq : start.seq - 1;
}
