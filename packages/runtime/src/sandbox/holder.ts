import { isJsonObject, parseJson } from "@caret/protocol";
import { identifyProcess, isAlive, readBootId, readPidNamespace } from "../process/process-identity.ts";

/** This process, in words that another one can look up. */
export function thisProcess(): string {
  return JSON.stringify({ ...identifyProcess(process.pid), bootId: readBootId(), pidNamespace: readPidNamespace() });
}

/** A holder in another container cannot be looked up from here, and counts as alive. */
export function isHolderAlive(text: string): boolean {
  const holder = parseJson(text);
  if (!isJsonObject(holder) || holder["bootId"] !== readBootId()) return false;
  if (holder["pidNamespace"] !== readPidNamespace()) return true;
  return isAlive({ pid: Number(holder["pid"]), startTime: String(holder["startTime"]) });
}
