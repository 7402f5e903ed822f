import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Host } from "../cli/host.ts";
import type { InvocationLog } from "../cli/invocation-log.ts";
import type { StopSignals } from "../cli/stop-signals.ts";
import type { ByteWriter } from "../output/byte-writer.ts";
import { drain } from "../output/drain.ts";
import { failures } from "./failures.ts";
import type { StepName, StepOf } from "./step-shapes.ts";

/** What a fault may lay hands on: bytes, signals, and the process itself. */
export interface FaultWorld {
  readonly host: Pick<Host, "stderr" | "exit" | "killSelf">;
  readonly writer: ByteWriter;
  readonly signal: AbortSignal;
  readonly stop: Pick<StopSignals, "ignore">;
  readonly log: InvocationLog;
}

type Faults = { readonly [Name in FaultName]: (step: StepOf<Name>, world: FaultWorld) => unknown };

type FaultName = Extract<
  StepName,
  | "hang"
  | "raw"
  | "halfLine"
  | "giantLine"
  | "invalidUtf8"
  | "stderr"
  | "exit"
  | "crash"
  | "fail"
  | "ignoreSignals"
  | "grandchild"
  | "closeStdout"
>;

/** Every way to misbehave, each doing one thing, so that a scenario can put them together. */
export const faults: Faults = {
  hang: (_step, { writer }) => {
    writer.flush();
    return forever();
  },
  raw: async ({ raw, chunkBytes, chunkMs = 0 }, { writer, signal }) => {
    const bytes = toBytes(raw);
    const size = chunkBytes ?? Math.max(bytes.length, 1);
    for (let at = 0; at < bytes.length; at += size) {
      writer.write(bytes.subarray(at, at + size));
      // Between chunks the reader gets its turn, or the pipe would join them again.
      if (chunkBytes !== undefined) await sleep(chunkMs, undefined, { signal });
    }
  },
  halfLine: ({ halfLine }, { writer }) => {
    const line = JSON.stringify({ type: "assistant", message: { role: "assistant", content: [text(halfLine)] } });
    writer.write(line.slice(0, Math.ceil(line.length / 2)));
    writer.flush();
  },
  giantLine: async ({ giantLine }, { writer }) => {
    const [head = "", tail = ""] = JSON.stringify({
      type: "assistant",
      message: { role: "assistant", content: [text("#")] },
    }).split("#");
    const piece = "x".repeat(64 * 1024);
    writer.write(head);
    for (let left = giantLine - head.length - tail.length; left > 0; left -= piece.length) {
      writer.write(piece.slice(0, left));
      await writer.drained();
    }
    writer.write(`${tail}\n`);
    writer.flush();
  },
  invalidUtf8: (_step, { writer }) => {
    const line = JSON.stringify({ type: "assistant", message: { role: "assistant", content: [text("bad: #")] } });
    const [head = "", tail = ""] = line.split("#");
    writer.write(Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from(`${tail}\n`)]));
  },
  stderr: async ({ stderr, repeat = 1 }, { host }) => {
    for (let written = 0; written < repeat; written += 1) {
      if (!host.stderr.write(stderr)) await drain(host.stderr);
    }
    await drain(host.stderr);
  },
  exit: async ({ exit }, { writer, host }) => {
    await writer.drained();
    host.exit(exit);
  },
  crash: async ({ crash }, { writer, host }) => {
    await writer.drained();
    host.killSelf(crash as NodeJS.Signals);
    // A fatal signal arrives before this ends; SIGSTOP lets the play go on once the process is woken.
    await sleep(50);
  },
  fail: async ({ fail }, { writer, host }) => {
    await writer.drained();
    host.stderr.write(`${failures[fail]}\n`);
    await drain(host.stderr);
    host.exit(1);
  },
  ignoreSignals: ({ ignoreSignals }, { stop }) => stop.ignore(ignoreSignals),
  grandchild: ({ grandchild: { seconds, holdPipe, setsid } }, { writer, log }) => {
    writer.flush();
    const stdio = holdPipe ? "inherit" : "ignore";
    const child = spawn("sleep", [String(seconds)], { stdio: ["ignore", stdio, stdio], detached: setsid });
    log({ event: "grandchild", grandchildPid: child.pid });
    child.unref();
  },
  closeStdout: async (_step, { writer }) => {
    await writer.drained();
    writer.cut();
    closeSync(1);
  },
};

function text(value: string): object {
  return { type: "text", text: value };
}

function toBytes(raw: StepOf<"raw">["raw"]): Buffer {
  if (typeof raw === "string") return Buffer.from(raw, "utf8");
  if ("base64" in raw) return Buffer.from(raw.base64, "base64");
  return Buffer.from(raw.map((line) => `${line}\n`).join(""), "utf8");
}

/** Only a signal ends this: the timer keeps the process alive without doing anything. */
function forever(): Promise<never> {
  return new Promise(() => setInterval(() => undefined, 60_000));
}
