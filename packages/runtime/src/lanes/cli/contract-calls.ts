import { type AgentEventOf, CaretError, isJsonObject } from "@caret/protocol";
import type { CallRefusal, ToolCall, ToolResult } from "../../calls/tool-call.ts";
import type { ChildHandle } from "../../process/child-handle.ts";
import { type Admission, createCallRepair, type RepairOptions } from "../../tools/repair/repair-call.ts";
import type { LaneEntry, LaneRequest } from "../lane.ts";
import type { OfferedTurn } from "./offered-turn.ts";

/** How calls in a stream become calls of offered tools. */
export type RepairSettings = Pick<RepairOptions, "version" | "autoFallback">;

/** Maximum calls made per turn. */
const MAX_CALLS = 64;
const TOO_MANY = `No more than ${MAX_CALLS} calls are made in one turn.`;
/** A program that keeps calling after this many, most of them refused, will not stop by itself. */
const MAX_ASKED = 2 * MAX_CALLS;

type ToolCallEvent = AgentEventOf<"tool-call">;

/** A program's call and its answer: the call to make, or why it is refused. */
interface ContractCall {
  readonly callId: string;
  /** In the program's spelling. */
  readonly name: string;
  readonly answer: ToolCall | RefusedCall;
}

interface RefusedCall {
  readonly refused: ToolCall;
  readonly refusal: CallRefusal;
}

/**
 * The tool calls of a contract program. They come in its stream, are repaired, and are answered by a line on its standard input:
 * `{"type":"tool_result","callId","name","ok","content"}`. Every call gets an answer, even for an unknown tool, and a call that the
 * program does not wait for is run as well.
 */
export function openContractTurn(
  { offered, answerRefused }: Pick<LaneRequest, "offered" | "answerRefused">,
  settings: RepairSettings,
): OfferedTurn {
  // Without tools, calls cannot be passed on, whatever the settings say.
  const version = offered === undefined ? "v1" : settings.version;
  let repair = createCallRepair({ ...settings, version, tools: offered?.tools ?? [] });
  offered?.onToolsChange?.((tools) => {
    repair = createCallRepair({ ...settings, version, tools });
  });
  const left = new AbortController();
  const tooMany = new AbortController();
  const known = new Set<string>();
  const running = new Set<Promise<void>>();
  let asked: ContractCall[] = [];
  let reply: (call: ContractCall, result: ToolResult) => void = () => undefined;
  let made = 0;

  const admit = ({ name, input }: ToolCallEvent): Admission => {
    if (known.size > MAX_ASKED) tooMany.abort(askedTooOften());
    if (made >= MAX_CALLS) return { kind: "refuse", name, class: "permission", reason: TOO_MANY };
    return repair.admit({ name, input });
  };

  const take = (entry: LaneEntry, event: ToolCallEvent): readonly LaneEntry[] => {
    const { callId, name } = event;
    known.add(callId);
    const admission = admit(event);
    if (admission.kind === "refuse") {
      const refused = { name: admission.name, input: toInput(event.input) };
      asked.push({ callId, name, answer: { refused, refusal: admission } });
      return [entry, { event: { type: "tool-result", callId, status: "rejected", output: admission.reason } }];
    }
    made += 1;
    asked.push({ callId, name, answer: { name: admission.name, input: toInput(admission.input) } });
    return admission.notice === undefined ? [] : [{ event: admission.notice }];
  };

  const answer = async (call: ContractCall): Promise<void> => {
    if ("refusal" in call.answer) return reply(call, await refused(call.answer));
    offered?.announce(call.answer);
    const result = await offered?.call(call.answer, left.signal);
    if (result !== undefined && !left.signal.aborted) reply(call, result);
  };

  const refused = async ({ refused: of, refusal }: RefusedCall): Promise<ToolResult> =>
    (await answerRefused?.(of, refusal)) ?? { text: refusal.reason, isError: true };

  return {
    attach(child, onAnswered) {
      reply = (call, result) => {
        onAnswered(call.callId);
        sendResult(child, call, result);
      };
    },
    covered: [],
    servers: [],
    env: {},
    signal: tooMany.signal,
    show(entries) {
      return entries.flatMap((entry): readonly LaneEntry[] => {
        const { event } = entry;
        if (event.type === "tool-call" && event.owner !== "agent") return take(entry, event);
        return "callId" in event && event.callId !== undefined && known.has(event.callId) ? [] : [entry];
      });
    },
    taken() {
      const calls = asked;
      asked = [];
      for (const call of calls) {
        const answering = answer(call).finally(() => running.delete(answering));
        running.add(answering);
      }
    },
    unfinished: () => Promise.all(running),
    leave: () => left.abort(),
  };
}

function toInput(input: unknown): ToolCall["input"] {
  return isJsonObject(input) ? input : {};
}

function sendResult(
  child: ChildHandle,
  { callId, name }: ContractCall,
  { text, images = [], isError }: ToolResult,
): void {
  // The contract supports text only.
  const content = images.length === 0 ? text : `${text}\n\n[Images cannot be passed to this program: ${images.length}]`;
  const line = { type: "tool_result", callId, name, ok: !isError, content };
  // A program that no longer reads its input does not want the answer; its turn ends without it.
  void child.writeStdin(`${JSON.stringify(line)}\n`);
}

function askedTooOften(): CaretError {
  return new CaretError("loop-stopped", `The agent asked for more than ${MAX_ASKED} calls in one turn`);
}
