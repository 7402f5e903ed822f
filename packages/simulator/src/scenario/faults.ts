import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type ByteWriter, drain } from "../process/byte-writer.ts";
import { CliFailure } from "../process/cli-failure.ts";
import type { Host } from "../process/host.ts";
import type { InvocationLog } from "../process/invocation-log.ts";
import type { StopSignals } from "../process/stop-signals.ts";
import type { failureNames, StepName, StepOf } from "./step-shapes.ts";

const usageReset = "Your usage limits will reset when your monthly cycle ends on 10/26/2026.";

const reconnecting = "Connection lost, reconnecting to https://agentn.global.api5.cursor.sh";

/** What the CLI writes on stderr before it exits with 1. */
export const failures: Readonly<Record<FailureName, string>> = {
  "usage-limit": `ActionRequiredError: You've hit your usage limit for Opus. You've saved $255 on API model usage this month with Pro. Switch to a different model or set a Spend Limit to continue with this model. ${usageReset}`,
  "usage-limit-free": "ActionRequiredError: You've hit your usage limit. Get Cursor Pro for more Agent usage",
  "free-plan": "RATE_LIMITED_CHANGEABLE: Named models unavailable: Free plans can only use Auto",
  "rate-limited": "ActionRequiredError: RATE_LIMITED_TOO_MANY_REQUESTS",
  "policy-force": "Error: Your team administrator has disabled the 'Run Everything' option.",
  "policy-headless": "Error: Your team administrator has disabled headless Cursor CLI usage.",
  outdated: "ActionRequiredError: OUTDATED_CLIENT",
  network: [
    `${reconnecting} (attempt 1)...`,
    "Retry attempt 1...",
    `${reconnecting} (attempt 2)...`,
    "Retry attempt 2...",
    "Connection failed repeatedly",
  ].join("\n"),
  unavailable: "Error: T: [unavailable] HTTP 503",
  "invalid-argument": afterRetries("[invalid_argument] unknown option '--system-prompt'"),
  "permission-denied": afterRetries("[permission_denied] This account may not do that"),
  "failed-precondition": afterRetries("[failed_precondition] Finish the other turn first"),
  unimplemented: afterRetries("[unimplemented] No such method"),
  "session-in-use": 'Error: Session ID "0d6f0000-0000-4000-8000-000000000001" is already in use.',
  "no-previous-chats": "No previous chats found.",
  "no-sandbox": "Error: Sandbox mode is enabled but not available on this system.",
};

/** What a fault may lay hands on: bytes, signals, and the process itself. */
export interface FaultWorld {
  readonly host: Pick<Host, "stderr" | "exit" | "killSelf">;
  readonly writer: ByteWriter;
  readonly signal: AbortSignal;
  readonly stop: Pick<StopSignals, "ignore">;
  readonly log: InvocationLog;
}

/** Every step that misbehaves, for the program that plays it. */
export type Faults = { readonly [Name in FaultName]: (step: StepOf<Name>) => unknown };

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
  | "acp"
  | "wire"
>;

/** Every way in which a process can misbehave, each doing one thing, so that a scenario can put them together. */
const faults: ProcessFaults = {
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
  acp: () => {
    throw new CliFailure("Error: An `acp` step is for `agent acp`.");
  },
  wire: () => {
    throw new CliFailure("Error: A `wire` step is for caret-sim-upstream; this is the CLI.");
  },
};

type ProcessFaults = { readonly [Name in FaultName]: (step: StepOf<Name>, world: FaultWorld) => unknown };

/** The faults of a process, with what they lay hands on. */
export function processFaults(world: FaultWorld): Faults {
  const bound = Object.entries(faults).map(([name, fault]) => [
    name,
    // Name and shape belong together in the table above, which the compiler has checked.
    (step: never) => (fault as (step: never, world: FaultWorld) => unknown)(step, world),
  ]);
  return Object.fromEntries(bound) as Faults;
}

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

type FailureName = (typeof failureNames)[number];

/** Whatever the code in brackets says, the CLI tries three times and calls the error retriable. */
function afterRetries(words: string): string {
  const tries = [1, 2, 3].flatMap((attempt) => [
    `${reconnecting} (attempt ${attempt})...`,
    `Retry attempt ${attempt}...`,
  ]);
  return [...tries, `RetriableError: ${words}`].join("\n");
}
