import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import type { Readiness } from "@caret/gateway";
import { CaretError } from "@caret/protocol";
import type { OpenedEngine } from "../engine/compose.ts";
import { version } from "../host/program.ts";
import { laneStates } from "./gateway-lanes.ts";

/** With less disk space no turn can finish. */
const LEAST_BYTES = 1024 * 1024;

/** The body of `/readyz`: whether a turn could start now and its events be written. `assertWritable` rejects if they could not. */
export function readinessOf(opened: OpenedEngine, assertWritable: () => Promise<void>): () => Promise<Readiness> {
  return async () => ({ version, lanes: await laneStates(opened), storage: await storageState(assertWritable) });
}

/** Rejects if the log of a data directory cannot be written. */
export async function assertDirectoryWritable(dataDir: string): Promise<void> {
  await access(dataDir, constants.W_OK);
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize < LEAST_BYTES) throw new CaretError("storage-full", `The disk of ${dataDir} is full`);
}

async function storageState(assertWritable: () => Promise<void>): Promise<NonNullable<Readiness["storage"]>> {
  try {
    await assertWritable();
    return { ready: true };
  } catch (reason) {
    // The reason is part of the result.
    return { ready: false, detail: reason instanceof Error ? reason.message : String(reason) };
  }
}
