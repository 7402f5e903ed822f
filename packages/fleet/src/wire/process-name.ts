import { randomUUID } from "node:crypto";
import { identifyProcess, isAlive, readBootId, readPidNamespace } from "@caret/runtime";

/**
 * Name of a process in a fleet: machine, boot and PID namespace, process id, and a random part that makes it unique. Other processes of the
 * same machine, boot and namespace can tell by it whether the process lives, without waiting for a lease.
 */
export function nameProcess(machine: string): string {
  const { pid, startTime = "" } = identifyProcess(process.pid);
  return [machine, readPlace(), `${pid}:${startTime}`, randomUUID()].join("/");
}

/** Whether this process can see that the named one is dead. False if it cannot know. */
export function isSeenDead(name: string, ownName: string): boolean {
  const [machine, place, id = ""] = name.split("/");
  const [ownMachine, ownPlace] = ownName.split("/");
  if (machine !== ownMachine || place !== ownPlace || place === "") return false;
  const [pid, startTime = ""] = id.split(":");
  return startTime !== "" && !isAlive({ pid: Number(pid), startTime });
}

/** Boot and PID namespace. Empty if the system does not say: then only leases tell who is lost. */
function readPlace(): string {
  const [boot, namespace] = [readBootId(), readPidNamespace()];
  return boot === undefined || namespace === undefined ? "" : `${boot}-${namespace.replaceAll(/\D/g, "")}`;
}
