import type { RunningTurn, SessionEngine, TurnRequest } from "@caret/runtime";
import type { PlayedTurn } from "../turns/play-turn.ts";
import type { BenchSettings, TurnBench } from "../turns/turn-bench.ts";

/** What a fault's own steps may use. */
export interface FaultStage {
  readonly bench: TurnBench;
  readonly engine: SessionEngine;
  readonly workspace: string;
}

/**
 * One way in which an agent misbehaves, and what Caret makes of it. Whatever the row says, every one is also held to the
 * rule that a turn is well formed in the log, ends in time, and leaves no process and no descriptor behind.
 */
export interface Fault {
  /** The number in the catalogue. Several rows may share one. */
  readonly id: string;
  readonly sentence: string;
  /** The agent, as a shell script; the simulator when absent. */
  readonly agent?: string | ((bench: TurnBench) => string);
  readonly settings?: BenchSettings | ((bench: TurnBench) => BenchSettings);
  readonly request?: Partial<TurnRequest>;
  /** Before the turn; what it returns is called after it. */
  readonly prepare?: (stage: FaultStage) => (() => void) | undefined;
  readonly meanwhile?: (turn: RunningTurn, stage: FaultStage) => unknown;
  /** `completed`, `cancelled`, or the code of the failure. */
  readonly ends: string;
  /** The turn is refused before it begins, with the code in `ends`. */
  readonly refused?: true;
  /** The whole text that was shown. */
  readonly text?: string;
  readonly withinMs?: number;
  readonly check?: (played: PlayedTurn, stage: FaultStage) => unknown;
}

/** Shell that prints these lines: objects as JSON, texts as they are. */
export function prints(...lines: readonly (object | string)[]): string {
  const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
  return printsBytes(text);
}

/** Shell that prints these very bytes. */
export function printsBytes(bytes: string | Uint8Array): string {
  return `base64 -d <<'TAPE'\n${Buffer.from(bytes).toString("base64")}\nTAPE\n`;
}

/** Shell that leaves a mark so that a test knows how far the agent is. */
export function marks(name: string): string {
  return `touch "$PWD.${name}"\n`;
}

/** `exec`, so that a signal meets the sleeper and not a shell that waits for it. */
export const hangs = "exec sleep 600\n";
