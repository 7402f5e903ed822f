import { randomUUID } from "node:crypto";
import { identifyProcess, isAlive, readBootId, readPidNamespace } from "@caret/runtime";

/**
 * The name of a process in a fleet: machine, boot and PID namespace, process, and a number that makes it unique. Another process
 * of the same machine, boot and namespace can tell by it whether the process still lives, without waiting for a lease.
 */
export function nameProcess(machine: string): string {
  const { pid, startTime = "" } = identifyProcess(process.pid);
  return [machine, readPlace(), `${pid}:${startTime}`, randomUUID()].join("/");
}

/** Whether this process can see that the named one is dead. False where it cannot know. */
export function isSeenDead(name: string, ownName: string): boolean {
  const [machine, place, id = ""] = name.split("/");
  const [ownMachine, ownPlace] = ownName.split("/");
  if (machine !== ownMachine || place !== ownPlace || place === "") return false;
  const [pid, startTime = ""] = id.split(":");
  return startTime !== "" && !isAlive({ pid: Number(pid), startTime });
}

/** The boot and the PID namespace; empty where the system does not say: there only leases tell who is lost. */
function readPlace(): string {
  const [boot, namespace] = [readBootId(), readPidNamespace()];
  return boot === undefined || namespace === undefined ? "" : `${boot}-${namespace.replaceAll(/\D/g, "")}`;
}
