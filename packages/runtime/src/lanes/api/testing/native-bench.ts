import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "@caret/protocol";
import type { ExecClientMessage } from "@caret/protocol/agent-api/exec";
import { createInlineSpawner } from "../../../process/spawner/create-spawner.ts";
import { testEnv } from "../../../process/testing/workbench.ts";
import type { ToolEditor } from "../../../tools/tool-editor.ts";
import { follow, scriptedEngine } from "../../../turns/testing/scripted-engine.ts";
import { createApiBench } from "./api-bench.ts";
import { type ScriptedRun, type ServerMessageInit, saysHello, startScriptedUpstream } from "./scripted-upstream.ts";

type ExecInit = Extract<ServerMessageInit, { case: "execServerMessage" }>["value"];
type ExecAnswer = ExecClientMessage["message"];
type ExecAsk = NonNullable<ExecInit["message"]>;

const HOUR_MS = 3_600_000;
/** No turn of thousands of operations is too long. */
const patient = { firstEventMs: HOUR_MS, idleMs: HOUR_MS, toolMs: HOUR_MS, turnMs: HOUR_MS, graceMs: 500 };

/** An upstream that has the gateway do things in a real workspace: lane, engine, policy and tools are real. */
export interface NativeBench {
  readonly workspace: string;
  path(name: string): string;
  /** Runs one turn, playing its streams one after the other. Returns its logged events. */
  play(script: (run: NativeRun, index: number) => Promise<void>, more?: PlayOptions): Promise<readonly AgentEvent[]>;
  close(): Promise<void>;
}

export interface PlayOptions {
  readonly editor?: ToolEditor;
}

export interface NativeRun {
  readonly scripted: ScriptedRun;
  /** The answer to an operation: of a stream, its last. */
  exec(message: ExecAsk, more?: Omit<ExecInit, "message" | "id">): Promise<ExecAnswer>;
  /** Every answer to an operation. */
  answers(message: ExecAsk, more?: Omit<ExecInit, "message" | "id">): Promise<readonly ExecClientMessage[]>;
}

export function createNativeBench(): NativeBench {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "caret-native-")));
  const workspace = join(root, "workspace");
  mkdirSync(workspace);
  const api = createApiBench();
  const spawner = createInlineSpawner({});
  return {
    workspace,
    path: (name) => join(workspace, name),
    async play(script, { editor } = {}) {
      const problems: unknown[] = [];
      const upstream = await startScriptedUpstream(async (scripted, index) => {
        await script(toNativeRun(scripted), index).catch((reason: unknown) => problems.push(reason));
        if (!scripted.stream.destroyed) saysHello(scripted);
      });
      const policy = { mode: "full", rules: [] } as const;
      const toolbox = { policy, servers: [], spawner, env: testEnv, outputsDir: root };
      const engine = scriptedEngine(api.lane(upstream.url, { clocks: patient }), root, { toolbox });
      try {
        const gatewayTools = { system: "", realWorkspace: workspace, ...(editor === undefined ? {} : { editor }) };
        const turn = await engine.startTurn({ prompt: "Go on", workspace, agentWorkspace: root, gatewayTools });
        const events = await follow(turn);
        await turn.settled;
        if (problems.length > 0) throw problems[0];
        return events;
      } finally {
        await engine.close();
        await upstream.close();
      }
    },
    async close() {
      await api.close();
      await spawner.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function toNativeRun(scripted: ScriptedRun): NativeRun {
  let ids = 0;
  const answers: NativeRun["answers"] = async (message, more = {}) => {
    ids += 1;
    const exec = { id: ids, message, ...more } as ExecInit;
    scripted.send({ case: "execServerMessage", value: exec });
    return await answersOf(scripted);
  };
  return {
    scripted,
    answers,
    async exec(message, more) {
      const last = (await answers(message, more)).at(-1);
      if (last === undefined) throw new Error("The client gave no answer");
      return last.message;
    },
  };
}

/** The client's messages about one operation, until it is closed. */
async function answersOf(scripted: ScriptedRun): Promise<readonly ExecClientMessage[]> {
  const given: ExecClientMessage[] = [];
  for (;;) {
    const next = await scripted.next();
    if (next === undefined) throw new Error("The client left before it had answered");
    if (next.case === "execClientMessage") given.push(next.value);
    const control = next.case === "execClientControlMessage" ? next.value.message : undefined;
    if (control?.case === "throw") throw new Error(control.value.error);
    if (control?.case === "streamClose") return given;
  }
}
