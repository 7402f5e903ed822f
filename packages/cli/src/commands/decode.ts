import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { type AgentEvent, CaretError, emptyTurn, foldTurn, type TurnSummary, unknownCount } from "@caret/protocol";
import { createDecoder, type Decoder, dialectNames } from "@caret/runtime";
import { type Command, Option } from "commander";
import { type ExitCode, exitCodes, type Host } from "../host.ts";
import { write } from "../write.ts";

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
    .option("--partial", "the recording was made with --stream-partial-output (default)", true)
    .option("--no-partial", "the recording was made without it")
    .addOption(new Option("--text", "print only the text").conflicts("summary"))
    .option("--summary", "print what the turn amounts to, as one JSON object")
    .action(async (file: string | undefined, options: DecodeOptions) => done(await decode(host, file, options)));
}

async function decode(host: Host, file: string | undefined, options: DecodeOptions): Promise<ExitCode> {
  const input = await openInput(host, file);
  const decoder = createDecoder({ dialect: options.dialect, partial: options.partial });
  const printer = createPrinter(host, options);
  let outcome: string | undefined;
  const take = async (events: readonly AgentEvent[]): Promise<void> => {
    const last = events.at(-1);
    if (last?.type === "turn-end") outcome = last.outcome.kind;
    await printer.print(events);
  };
  await take([{ type: "turn-start", turnId: "decoded", lane: "cli" }]);
  try {
    // After the end the rest is still read, so that whoever writes into the pipe is not killed by it.
    for await (const chunk of input) if (!decoder.hasEnded) await take(decoder.push(chunk as Uint8Array));
  } catch (reason) {
    throw unreadable(file ?? "standard input", reason);
  }
  await take(decoder.finish({ kind: "end-of-stream" }));
  await printer.finish(decoder);
  return outcome === "completed" ? exitCodes.completed : exitCodes.failed;
}

async function openInput(host: Host, file: string | undefined): Promise<Readable> {
  if (file !== undefined) return openFile(file);
  if (host.stdin.isTTY !== true) return host.stdin;
  throw new CaretError("invalid-request", "Nothing to decode: standard input is a terminal", {
    fix: "Name a recording, or pipe one in: `caret decode < recording.ndjson`.",
  });
}

/** Opened before anything is printed: a recording that is not there gives a complaint and no half of a turn. */
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

interface Printer {
  print(events: readonly AgentEvent[]): Promise<void>;
  finish(decoder: Decoder): Promise<void>;
}

function createPrinter(host: Host, options: DecodeOptions): Printer {
  if (options.summary === true) return summaryPrinter(host);
  return options.text === true ? textPrinter(host) : eventPrinter(host);
}

function eventPrinter({ stdout, stderr }: Host): Printer {
  return {
    print: (events) => write(stdout, events.map((event) => `${JSON.stringify(event)}\n`).join("")),
    // On standard error, so that standard output stays events and nothing else.
    finish: (decoder) => write(stderr, `caret: decoded as ${decoder.dialect}\n`),
  };
}

function textPrinter({ stdout }: Host): Printer {
  return {
    print: (events) => write(stdout, events.map((event) => (event.type === "text-delta" ? event.text : "")).join("")),
    finish: () => write(stdout, stdout.isTTY === true ? "\n" : ""),
  };
}

function summaryPrinter({ stdout }: Host): Printer {
  let turn = emptyTurn;
  return {
    async print(events) {
      turn = events.reduce(foldTurn, turn);
    },
    finish: (decoder) => write(stdout, `${JSON.stringify(toSummary(turn, decoder))}\n`),
  };
}

/** The summary's published shape; see docs/commands.md. */
function toSummary(turn: TurnSummary, decoder: Decoder) {
  return {
    dialect: decoder.dialect,
    sessionId: turn.sessionId ?? null,
    model: turn.model ?? null,
    text: turn.segments.join(""),
    segments: turn.segments,
    thinking: turn.thinking.join("\n\n"),
    tools: turn.tools,
    todos: turn.todos,
    usage: turn.usage ?? null,
    notices: turn.notices,
    unknown: unknownCount(turn),
    unknownLabels: turn.unknown,
    outcome: turn.outcome,
  };
}
