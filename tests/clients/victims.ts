import { readFileSync } from "node:fs";
import type { GatewayHome } from "./gateway-home.ts";

/** The agents of a home that live, or the bridges that they have started. */
export function findVictims(home: GatewayHome, kind: "agent" | "bridge"): readonly number[] {
  return home.agents().filter((pid) => commandLine(pid).includes("mcp-bridge") === (kind === "bridge"));
}

/** Kills what is there of a kind. False when there was nothing. */
export function killVictims(home: GatewayHome, kind: "agent" | "bridge"): boolean {
  const pids = findVictims(home, kind);
  for (const pid of pids) killOne(pid);
  return pids.length > 0;
}

/** Nothing when it has left already. */
export function killOne(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It left between the look and the blow.
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return ""; // gone meanwhile
  }
}
