import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { identifyProcess, isAlive, makePrivateDirectory, writePrivateFile } from "@caret/runtime";
import { z } from "zod";
import { readLockFile } from "../gateway/gateway-lock.ts";

const POLL_MS = 500;

const holderSchema = z.object({ pid: z.number().int().positive(), startTime: z.string() });

/**
 * Directory of processes that use a gateway another program started for itself. Both sides write before they read: a holder writes its
 * file, then looks for the gateway's announcement; the gateway withdraws its announcement, then looks for holders. So at least one always
 * sees the other.
 */
function holderDirectory(dataDir: string): string {
  return join(dataDir, "holders");
}

/** Keeps the announced gateway from ending until the returned function is called or this process ends. Undefined: it is already ending. */
export function holdGateway(dataDir: string, uid: number | undefined, pid: number): (() => void) | undefined {
  const file = join(holderDirectory(dataDir), `${process.pid}.json`);
  makePrivateDirectory(holderDirectory(dataDir));
  writePrivateFile(file, `${JSON.stringify(identifyProcess(process.pid))}\n`);
  const release = (): void => rmSync(file, { force: true });
  if (readLockFile(dataDir, uid)?.pid === pid) return release;
  release();
  return undefined;
}

interface Announced {
  withdraw(): void;
  announce(): void;
}

/** Waits until no process holds this gateway, then withdraws its announcement so no new one can begin to. */
export async function withoutHolders(dataDir: string, gateway: Announced, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (!hasHolders(dataDir)) {
      gateway.withdraw();
      if (!hasHolders(dataDir)) return;
      gateway.announce();
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
  }
}

function hasHolders(dataDir: string): boolean {
  const directory = holderDirectory(dataDir);
  return namesIn(directory).some((name) => {
    const file = join(directory, name);
    if (isHeldBy(file)) return true;
    rmSync(file, { force: true }); // its process was killed
    return false;
  });
}

function isHeldBy(file: string): boolean {
  try {
    return isAlive(holderSchema.parse(JSON.parse(readFileSync(file, "utf8"))));
  } catch {
    return false; // just released, or without a start time: a system without /proc has no holders
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith(".json"));
  } catch {
    return []; // no process has ever held a gateway here
  }
}
