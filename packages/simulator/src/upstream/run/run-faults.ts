import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { create, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { AgentServerMessageSchema } from "@caret/protocol/agent-api/run";
import type { Faults } from "../../scenario/faults.ts";
import type { Step, StepOf } from "../../scenario/step-shapes.ts";
import { http2Codes, type WireName, type WireOf, type WireStep, wireShapes } from "../../scenario/wire-shapes.ts";
import { continuationFlood, goawayFrame } from "../net/raw-frames.ts";
import { envelope, type FrameWriter } from "./frame-writer.ts";
import { failureErrors, RunFailure } from "./run-failure.ts";
import type { RunLink } from "./run-link.ts";

/** Thrown when a fault has ended the attempt: nothing of it is played any more. */
export class AttemptCut extends Error {
  override readonly name = "AttemptCut";
}

export interface RunFaultWorld {
  readonly writer: FrameWriter;
  readonly link: RunLink;
  readonly signal: AbortSignal;
  readonly heartbeats: { stop(): void };
  /** Every connection of the upstream. */
  readonly connections: { freeze(): void; inject(bytes: Uint8Array): void };
  readonly log: (record: Readonly<Record<string, unknown>>) => void;
  /** Sends the state of the conversation as it is now. */
  readonly checkpoint: () => void;
  /** Called with the step that ends the attempt. */
  readonly onCut: (step: Step) => void;
}

/** What the steps that misbehave do to a run: a process's faults become those of a connection. */
export function runFaults(world: RunFaultWorld): Faults {
  const { writer, signal, log } = world;
  const drop = (step: Step): never => {
    world.onCut(step);
    writer.destroy();
    throw new AttemptCut();
  };
  return {
    hang: () => sleep(2 ** 31 - 1, undefined, { signal }),
    raw: ({ raw, chunkBytes, chunkMs = 0 }) => writeRaw(raw, { writer, chunkBytes, chunkMs, signal }),
    halfLine: async (step) => {
      const frame = envelope(0, textMessage(step.halfLine));
      writer.raw(frame.subarray(0, Math.ceil(frame.length / 2)));
      world.onCut(step);
      await writer.end();
      throw new AttemptCut();
    },
    giantLine: ({ giantLine }) => writer.message(textMessage("x".repeat(giantLine))),
    invalidUtf8: () => writer.message(Uint8Array.of(0x0a, 7, 0x0a, 5, 0x0a, 3, 0xff, 0xc3, 0x28)),
    stderr: ({ stderr }) => log({ event: "stderr", text: stderr }),
    exit: drop,
    crash: drop,
    fail: (step) => {
      const error = failureErrors[step.fail];
      if (error === undefined) return drop(step);
      world.onCut(step);
      throw new RunFailure(error);
    },
    // Signals and processes are the CLI's; a server's client cannot see them.
    ignoreSignals: () => undefined,
    grandchild: () => undefined,
    closeStdout: async (step) => {
      world.onCut(step);
      await writer.end();
      throw new AttemptCut();
    },
    acp: () => undefined,
    wire: (step) => actOnWire(step, world),
  };
}

interface RawOptions {
  readonly writer: FrameWriter;
  readonly chunkBytes: number | undefined;
  readonly chunkMs: number;
  readonly signal: AbortSignal;
}

async function writeRaw(raw: StepOf<"raw">["raw"], { writer, chunkBytes, chunkMs, signal }: RawOptions): Promise<void> {
  const bytes = Buffer.from(
    typeof raw === "object" && "base64" in raw ? Buffer.from(raw.base64, "base64") : [raw].flat().join("\n"),
  );
  const size = chunkBytes ?? Math.max(bytes.length, 1);
  for (let at = 0; at < bytes.length; at += size) {
    writer.raw(bytes.subarray(at, at + size));
    await writer.drained();
    if (chunkMs > 0) await sleep(chunkMs, undefined, { signal });
  }
}

function textMessage(text: string): Uint8Array {
  const value = { message: { case: "textDelta" as const, value: { text } } };
  return toBinary(
    AgentServerMessageSchema,
    create(AgentServerMessageSchema, { message: { case: "interactionUpdate", value } }),
  );
}

type WireActs = { readonly [Name in WireName]: (step: WireOf<Name>, world: RunFaultWorld) => unknown };

/** The name of a wire step is the key that its shape begins with. */
async function actOnWire(step: StepOf<"wire">, world: RunFaultWorld): Promise<void> {
  const name = (Object.keys(wireShapes) as WireName[]).find((known) => known in step.wire);
  if (name === undefined) return;
  if ("times" in step.wire) world.onCut(step);
  await (wireActs[name] as (step: WireStep, world: RunFaultWorld) => unknown)(step.wire, world);
  if (endsAttempt(step.wire)) throw new AttemptCut();
}

/** A GOAWAY leaves the run alone, unless it says that the run was not looked at. */
function endsAttempt(wire: WireStep): boolean {
  return "goaway" in wire ? wire.lastStreamId !== undefined : "times" in wire;
}

/** A field that no schema has, with some bytes. */
const unknownField = Uint8Array.of(0xc2, 0x3e, 2, 0x68, 0x69);

const unknownMessages = {
  exec: Uint8Array.of(0x12, unknownField.length + 3, 0x08, 0xe7, 0x07, ...unknownField),
  query: Uint8Array.of(0x3a, unknownField.length + 3, 0x08, 0xe7, 0x07, ...unknownField),
  update: Uint8Array.of(0x0a, unknownField.length, ...unknownField),
  message: unknownField,
} as const;

const wireActs: WireActs = {
  status: ({ status, headers = {}, body = "" }, { writer }) => writer.refuse(status, headers, body),
  error: ({ error }) => {
    throw new RunFailure(error);
  },
  reset: async ({ reset }, { writer }) => {
    if (writer.isOpen) await writer.drained();
    // HTTP/1.1 has no reset of a stream: its connection ends instead.
    if (writer.http2 === undefined) writer.destroy();
    else writer.http2.close(http2Codes[reset]);
  },
  destroy: async (_step, { writer }) => {
    if (writer.isOpen) await writer.drained();
    writer.destroy();
  },
  end: (_step, { writer }) => {
    writer.open();
    return writer.end();
  },
  truncate: ({ truncate }, { writer }) => {
    writer.raw(envelope(0, textMessage("never finished")).subarray(0, truncate));
    return writer.end();
  },
  trailers: ({ trailers }, { writer }) => {
    writer.open();
    return writer.end(trailers);
  },
  header: ({ header: { flags, length } }, { writer }) => {
    const bytes = Buffer.alloc(5);
    bytes.writeUInt8(flags, 0);
    bytes.writeUInt32BE(length, 1);
    writer.raw(bytes);
  },
  message: ({ message }, { writer }) => writer.message(Buffer.from(message, "base64")),
  compress: ({ compress }, { writer }) => {
    writer.encoding = compress === "none" ? undefined : compress;
  },
  unnegotiated: (_step, { writer }) => writer.raw(envelope(0x01, gzipSync(textMessage("compressed")))),
  bomb: ({ bomb }, { writer }) => writer.raw(envelope(0x01, gzipSync(Buffer.alloc(bomb)))),
  chunkBytes: ({ chunkBytes }, { writer }) => {
    writer.chunkBytes = chunkBytes;
  },
  duplicate: ({ duplicate }, { writer }) => {
    writer.copies = duplicate;
  },
  goaway: ({ goaway, lastStreamId }, { writer, connections }) => {
    // The library never names a stream below the one that it is serving.
    if (lastStreamId === undefined) writer.http2?.session?.goaway(http2Codes[goaway]);
    else if (writer.http2 !== undefined) connections.inject(goawayFrame(lastStreamId, http2Codes[goaway]));
  },
  settings: ({ settings }, { writer }) => {
    const { maxConcurrentStreams, initialWindowSize } = settings;
    writer.http2?.session?.settings({
      ...(maxConcurrentStreams === undefined ? {} : { maxConcurrentStreams }),
      ...(initialWindowSize === undefined ? {} : { initialWindowSize }),
    });
  },
  freeze: async (_step, { writer, connections }) => {
    if (writer.isOpen) await writer.drained();
    connections.freeze();
  },
  continuation: ({ continuation }, { writer, connections }) => {
    const { id } = writer.http2 ?? {};
    if (id !== undefined) connections.inject(continuationFlood(id, continuation));
  },
  silence: (_step, { heartbeats }) => heartbeats.stop(),
  heartbeats: ({ heartbeats }, { link }) => {
    for (let sent = 0; sent < heartbeats; sent += 1) link.update({ case: "heartbeat", value: {} });
  },
  checkpoint: (_step, { checkpoint }) => checkpoint(),
  unknown: ({ unknown }, { writer }) => writer.message(unknownMessages[unknown]),
  exec: async ({ exec }, { link, log }) => log({ event: "exec", exec, answer: await link.exec(exec as JsonObject) }),
  query: async ({ query }, { link, log }) =>
    log({ event: "query", query, answer: await link.query(query as JsonObject) }),
};
