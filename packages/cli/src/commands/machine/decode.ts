import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { type AgentEvent, CaretError } from "@caret/protocol";
import { createDecoder, dialectNames } from "@caret/runtime";
import { type Command, Option } from "commander";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { write } from "../../terminal/print.ts";
import { createDecodePrinter, type DecodeFormat } from "./decode-printers.ts";

interface DecodeOptions {
  readonly dialect: (typeof dialectNames)[number] | "auto";
  readonly partial: boolean;
  readonly text?: boolean;
  readonly summary?: boolean;
}

export function addDecodeCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  program
    .command("decode")
    .description("decode a recording of an agent's output, from a file or standard input")
    .argument("[file]", "the recording; standard input when left out")
    .addOption(
      new Option("--dialect <name>", "the recording's protocol").choices(["auto", ...dialectNames]).default("auto"),
    )
    .addOption(new Option("--partial", "the recording was made with --stream-partial-output").default(true, "yes"))
    .option("--no-partial", "the recording was made without it")
    .addOption(new Option("--text", "print only the text, and the plan of a turn that made one").conflicts("summary"))
    .option("--summary", "print what the recording amounts to, as one JSON object")
    .action(async (file: string | undefined, options: DecodeOptions) => done(await decode(host, file, options)));
}

async function decode(host: Host, file: string | undefined, options: DecodeOptions): Promise<ExitCode> {
  const input = await openInput(host, file);
  const turns = countTurns();
  const decoder = createDecoder({ dialect: options.dialect, partial: options.partial, furtherTurns: turns });
  const printer = createDecodePrinter(host, formatOf(options));
  let isCompleted = true;
  const take = async (events: readonly AgentEvent[]): Promise<void> => {
    for (const event of events) if (event.type === "turn-end") isCompleted &&= event.outcome.kind === "completed";
    await printer.print(events);
  };
  await take([turns.begin()]);
  try {
    for await (const chunk of input) await take(toEvents(decoder.push(chunk as Uint8Array)));
  } catch (reason) {
    throw unreadable(file ?? "standard input", reason);
  }
  await take(toEvents(decoder.finish({ kind: "end-of-stream" })));
  await printer.finish(decoder);
  if (turns.leftOut > 0)
    await write(host.stderr, `caret: left out what came after the end of a turn (${turns.leftOut} events)\n`);
  return isCompleted ? exitCodes.completed : exitCodes.failed;
}

function toEvents(decoded: readonly { readonly event: AgentEvent }[]): readonly AgentEvent[] {
  return decoded.map(({ event }) => event);
}

function formatOf({ text, summary }: DecodeOptions): DecodeFormat {
  if (summary === true) return "summary";
  return text === true ? "text" : "events";
}

function countTurns() {
  let count = 0;
  let leftOut = 0;
  return {
    begin() {
      count += 1;
      return { type: "turn-start", turnId: count === 1 ? "decoded" : `decoded-${count}`, lane: "cli" } as const;
    },
    leaveOut() {
      leftOut += 1;
    },
    get leftOut() {
      return leftOut;
    },
  };
}

async function openInput(host: Host, file: string | undefined): Promise<Readable> {
  if (file !== undefined) return openFile(file);
  if (host.stdin.isTTY !== true) return host.stdin;
  throw new CaretError("invalid-request", "Nothing to decode: standard input is a terminal", {
    fix: "Name a recording, or pipe one in: `caret decode < recording.ndjson`.",
  });
}

/** Opens the file before anything is printed: a missing recording yields an error, not half a turn. */
async function openFile(file: string): Promise<Readable> {
  try {
    return (await open(file)).createReadStream();
  } catch (reason) {
    throw unreadable(file, reason);
  }
}

function unreadable(name: string, cause: unknown): CaretError {
  const fix = "Name a recording that exists and can be read.";
  return new CaretError("invalid-request", `Cannot read ${name}`, { cause, fix });
}
