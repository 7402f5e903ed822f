import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runAgentTurn } from "../agent/run-agent-turn.ts";
import { findProjectDir } from "../config/config-dir.ts";
import type { Simulation } from "../config/simulation.ts";
import { isRecord, readJsonFile } from "../json/json.ts";
import type { McpHub } from "../mcp/mcp-hub.ts";
import type { ByteWriter } from "../process/byte-writer.ts";
import type { HasQuirk } from "../scenario/acp-quirks.ts";
import { type Faults, failures } from "../scenario/faults.ts";
import type { AskedCall, Asker } from "../tools/asker.ts";
import { createAcpAsker } from "./acp-asker.ts";
import { cancelledUpdate, createAcpOutput } from "./acp-output.ts";
import { type AcpSession, acpChatsDir } from "./acp-session.ts";
import { RpcError, type RpcPeer } from "./rpc-peer.ts";
import { titleOf } from "./tool-shapes.ts";

export interface AcpTurn {
  readonly simulation: Simulation;
  readonly session: AcpSession;
  readonly peer: RpcPeer;
  readonly writer: ByteWriter;
  readonly has: HasQuirk;
  readonly force: boolean;
  readonly apiKeySource: "login" | "env" | "flag";
}

/** What the account's limits look like in this mode. */
const UPGRADE = "Upgrade your plan to continue";

/** Plays one prompt of a session. Resolves to the reason why it stopped; rejects where the prompt is answered with an error. */
export async function runAcpTurn(turn: AcpTurn, prompt: string): Promise<string> {
  const { simulation, session, has } = turn;
  const controller = new AbortController();
  const { promise: stopped, resolve: end } = Promise.withResolvers<string>();
  const open = new Set<string>();
  session.live = {
    end,
    ended: stopped.then(() => undefined),
  };
  const signal = AbortSignal.any([simulation.stop.signal, controller.signal]);
  const played = play(turn, { prompt, signal, end, open }).then(() => "end_turn");
  const stopReason = await Promise.race([played, stopped]).finally(() => {
    controller.abort();
    end("end_turn");
    delete session.live;
  });
  played.catch(() => undefined); // what is aborted rejects, and the prompt has its answer already
  if (stopReason === "cancelled" && !has("open-cancelled-tools"))
    for (const id of open) sendUpdate(turn, cancelledUpdate(id));
  return stopReason;
}

interface Scene {
  readonly prompt: string;
  readonly signal: AbortSignal;
  readonly end: (stopReason: string) => void;
  /** Calls that were announced and not completed. */
  readonly open: Set<string>;
}

function sendUpdate({ peer, session }: AcpTurn, update: object, sessionId = session.id): void {
  peer.notify("session/update", { sessionId, update });
}

async function play(turn: AcpTurn, scene: Scene): Promise<void> {
  const { simulation, session, writer, has } = turn;
  const { signal, open } = scene;
  const { model } = session.choice.current;
  simulation.log({ event: "acp-turn", sessionId: session.id, model: model.id });
  const output = createAcpOutput({
    has,
    newId: simulation.ids.uuid,
    onStart: () => {
      if (has("late-commands")) sendUpdate(turn, commandsUpdate);
    },
    update: (update, sessionId) => {
      // What is aborted may still be at work, but its client has been answered.
      if (signal.aborted) return;
      const { toolCallId, status, sessionUpdate } = update;
      if (sessionUpdate === "tool_call") open.add(String(toolCallId));
      if (status === "completed" || status === "failed") open.delete(String(toolCallId));
      sendUpdate(turn, update, sessionId);
    },
  });
  await runAgentTurn({
    simulation: { ...simulation, stop: { ...simulation.stop, signal, onStop: () => undefined } },
    start: {
      apiKeySource: turn.apiKeySource,
      cwd: session.cwd,
      sessionId: session.id,
      modelName: model.name,
      prompt: scene.prompt,
    },
    model,
    mode: session.mode,
    force: turn.force,
    approveMcps: false,
    excludedTools: has("no-ask-question") ? ["askQuestionToolCall"] : [],
    workspace: session.cwd,
    chatsDir: acpChatsDir(simulation.configDir),
    projectDir: findProjectDir(simulation.host.env, session.cwd),
    backgroundShellTimeoutMs: undefined,
    output,
    writer,
    asker: askerOf(turn, scene),
    mcp: () => hubOf(turn),
    faults: acpFaults(turn, scene),
  });
}

export const commandsUpdate = {
  sessionUpdate: "available_commands_update",
  availableCommands: [{ name: "compress", description: "Summarise the chat to make room" }],
};

function askerOf({ simulation, session, peer, has }: AcpTurn, { end }: Scene): Asker {
  return createAcpAsker({
    peer,
    sessionId: session.id,
    has,
    newId: () => simulation.ids.short(4),
    endTurn: () => end("end_turn"),
    isAlwaysAllowed: (call) => session.allowed.has(titleOf(call)),
    allowAlways: (call) => {
      session.allowed.add(titleOf(call));
      rememberAllowed(simulation.configDir, call);
    },
  });
}

/** `allow-always` is written into the configuration of the user, for every program that reads it. */
function rememberAllowed(configDir: string, { key, args }: AskedCall): void {
  if (key !== "shellToolCall") return;
  const path = join(configDir, "cli-config.json");
  const config = readJsonFile(path) ?? {};
  const permissions = isRecord(config["permissions"]) ? config["permissions"] : {};
  const allow = Array.isArray(permissions["allow"]) ? permissions["allow"] : [];
  const rule = `Shell(${String(args["command"]).split(/\s/)[0]})`;
  writeFileSync(path, `${JSON.stringify({ ...config, permissions: { ...permissions, allow: [...allow, rule] } })}\n`);
}

/** The servers of a session are connected once, by its first turn that wants them. */
function hubOf({ simulation, session }: AcpTurn): Promise<McpHub> {
  session.hub ??= (async () => {
    const { connectMcp } = await import("../mcp/mcp-hub.ts");
    const { configDir, host, stop } = simulation;
    const { servers: given, cwd: workspace } = session;
    const hub = await connectMcp({ workspace, configDir, approveMcps: false, env: host.env, given });
    stop.onStop(hub.close);
    return hub;
  })();
  return session.hub;
}

/** Steps that misbehave in a way of their own here. */
function acpFaults(turn: AcpTurn, { end, signal }: Scene): Partial<Faults> {
  const { peer, session, simulation, has } = turn;
  return {
    fail: ({ fail }) => {
      const words = failures[fail].split("\n").at(-1) ?? "";
      if (!has("errors-as-text")) throw new RpcError(-32_603, words);
      const text = fail.startsWith("usage-limit")
        ? UPGRADE
        : `\n\n${words.startsWith("Error:") ? "" : "Error: "}${words}`;
      sendUpdate(turn, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
      end("end_turn");
      // Nothing of the turn is played after its end.
      signal.throwIfAborted();
      return new Promise(() => undefined);
    },
    acp: async ({ acp }) => {
      if ("update" in acp) return sendUpdate(turn, acp.update);
      if ("stop" in acp) {
        end(acp.stop);
        return await new Promise(() => undefined);
      }
      if ("notify" in acp) return peer.notify(acp.notify.method, { sessionId: session.id, ...acp.notify.params });
      const { method, params } = acp.request;
      const answer = await peer.request(method, { sessionId: session.id, ...params }).then(
        (result) => ({ result }),
        (reason: unknown) => ({ error: reason instanceof RpcError ? reason.code : String(reason) }),
      );
      simulation.log({ event: "acp-answer", method, ...answer });
      return undefined;
    },
  };
}

/** The text of a prompt; of a picture the mind sees only that there was one. */
export function promptText(blocks: unknown): string {
  const list = Array.isArray(blocks) ? blocks.filter(isRecord) : [];
  return list
    .map((block) => (block["type"] === "text" ? String(block["text"]) : `[${String(block["type"])}]`))
    .join("\n");
}
