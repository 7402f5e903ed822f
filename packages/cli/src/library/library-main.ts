import { homedir } from "node:os";
import type { Caret, CaretOptions } from "./caret.ts";
import { openCaret } from "./open-caret.ts";

/**
 * Creates Caret inside this program. Reads the environment and the configuration files as the `caret` command does.
 *
 *     const caret = await createCaret({ lane: "sim", workspaces: [directory] });
 *     for await (const { event } of caret.runTurn({ workspace: directory, prompt: "Fix the failing test" })) …
 *     await caret.close();
 */
export async function createCaret(options: CaretOptions = {}): Promise<Caret> {
  const { env, platform } = process;
  return await openCaret({ env, cwd: process.cwd(), home: homedir(), platform, uid: process.getuid?.() }, options);
}

export { type AgentEvent, CaretError, type EventEnvelope, type NativeClient } from "@caret/protocol";
export type { Caret, CaretOptions } from "./caret.ts";
export type { TurnEvents, WantedTurn } from "./run-turn.ts";
