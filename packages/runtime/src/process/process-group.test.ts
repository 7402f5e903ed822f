import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { signalGroup, signalProcess, windowsKillCommand } from "./process-group.ts";
import { identifyProcess, isAlive } from "./process-identity.ts";
import { pidOf } from "./testing/workbench.ts";

describe("signalling", () => {
  it("never signals a group or process whose number belongs to a stranger by now", async () => {
    const stranger = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
    await once(stranger, "spawn");
    const identity = identifyProcess(pidOf(stranger));
    const before = { pid: identity.pid, startTime: "7" };
    expect({
      isGroupSignalled: signalGroup(before, "SIGKILL"),
      isProcessSignalled: signalProcess(before, "SIGKILL"),
      isAlive: isAlive(identity),
    }).toEqual({ isGroupSignalled: false, isProcessSignalled: false, isAlive: true });
    expect(signalGroup(identity, "SIGKILL")).toBe(true);
    await once(stranger, "exit");
    expect({ isGroupSignalled: signalGroup(identity, "SIGKILL"), isAlive: isAlive(identity) }).toEqual({
      isGroupSignalled: false,
      isAlive: false,
    });
  });

  it("ends a tree on Windows by its exact number", () => {
    expect(windowsKillCommand(42)).toEqual({ file: "taskkill", args: ["/PID", "42", "/T", "/F"] });
  });
});
