import { randomUUID } from "node:crypto";
import { CaretError } from "@caret/protocol";
import {
  createCliLane,
  createSpawner,
  type InstallationProbe,
  probeChatPlace,
  probeStrictTurn,
  probeToolServer,
  sandboxDirectories,
} from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import { createAgentHosts } from "../engine/agent-hosts.ts";
import { chooseLane } from "../engine/choose-lane.ts";
import { lazyBridge } from "../engine/compose.ts";
import { machineSandboxes, sandboxesRoot } from "../engine/machine-sandboxes.ts";
import type { Host } from "../host/host.ts";
import type { Finding } from "./finding.ts";

/** Limit for all checks together: each has the agent answer once. */
const LIMIT_MS = 10 * 60_000;

/**
 * Finds out undocumented behaviour of Cursor that a sandbox depends on, by having the installed agent answer three questions in empty
 * directories. These are real turns: they take a moment, and count against the plan.
 */
export async function examineInstallation(host: Host, config: Config): Promise<readonly Finding[]> {
  const spawner = createSpawner({ mode: "inline", dataDir: config.dataDir });
  const sandboxes = machineSandboxes(host, config, spawner);
  const bridge = lazyBridge();
  const hosts = createAgentHosts(host, config, {
    spawner,
    containment: { kind: "none", why: "a sandbox needs none" },
    sandboxes,
    warm: undefined,
    openBridge: bridge.open,
    noteSecrets: () => undefined,
  });
  try {
    const { lane: chosen } = await chooseLane(config, hosts.cli);
    // The ACP lane runs the same program, in a mode not examined here.
    const name = chosen === "acp" ? "cli" : chosen;
    if (name === "api") return [{ check: "chats", state: "ok", detail: "the api lane has no program to examine" }];
    const lane = createCliLane({ name, host: hosts[name] });
    const probe = {
      host: { ...hosts[name], newId: randomUUID },
      lane,
      model: config.model,
      signal: AbortSignal.timeout(LIMIT_MS),
    };
    // Sequential: two agents starting at the same moment have been seen to kill each other.
    return [await chats(probe), await strictTurn(probe), await toolServer(probe)];
  } finally {
    sandboxDirectories(sandboxesRoot(config)).remove("doctor");
    await bridge.close();
    await sandboxes.close();
    await spawner.close();
  }
}

const PAGE = "docs/sandbox.md says what that means.";

function chats(probe: InstallationProbe): Promise<Finding> {
  return examined("chats", async (check) => {
    const place = await probeChatPlace(probe);
    if (place !== "unknown") return { check, state: "ok", detail: `the agent files them by its ${place}` };
    return { check, state: "warn", detail: "the agent filed none where Caret looks", fix: PAGE };
  });
}

function strictTurn(probe: InstallationProbe): Promise<Finding> {
  return examined("strict sandbox", async (check) => {
    const failure = await probeStrictTurn(probe);
    if (failure === undefined) return { check, state: "ok", detail: "the agent answers in it" };
    return { check, state: "warn", detail: `the agent does not answer in it: ${failure}`, fix: PAGE };
  });
}

function toolServer(probe: InstallationProbe): Promise<Finding> {
  return examined("tools in a sandbox", async (check) => {
    const { wasCalled, left, failure } = await probeToolServer(probe);
    if (!wasCalled)
      return { check, state: "warn", detail: `the agent called none: ${failure ?? "it gave no reason"}`, fix: PAGE };
    if (left > 0) return { check, state: "fail", detail: `${left} processes outlived their turn`, fix: PAGE };
    return { check, state: "ok", detail: "the agent's tool server reaches the gateway, and ends with its turn" };
  });
}

async function examined(check: string, work: (check: string) => Promise<Finding>): Promise<Finding> {
  try {
    return await work(check);
  } catch (reason) {
    const { message, fix } = CaretError.from(reason);
    return { check, state: "fail", detail: message, fix };
  }
}
