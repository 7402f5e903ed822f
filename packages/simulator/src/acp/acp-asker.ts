import { isRecord } from "../json/json.ts";
import type { HasQuirk } from "../scenario/acp-quirks.ts";
import type { AskedCall, Asker } from "../tools/asker.ts";
import type { ToolArgs, ToolOutcome } from "../tools/tool-run.ts";
import { RpcError, type RpcPeer } from "./rpc-peer.ts";
import { kindOf, rawInputOf, titleOf } from "./tool-shapes.ts";

export interface AcpAskerOptions {
  readonly peer: Pick<RpcPeer, "request" | "notify">;
  readonly sessionId: string;
  readonly has: HasQuirk;
  readonly newId: () => string;
  /** A plan was accepted, and nothing more happens in this turn. */
  readonly endTurn: () => void;
  /** The person never wants to be asked about this again. */
  readonly allowAlways: (call: AskedCall) => void;
  readonly isAlwaysAllowed: (call: AskedCall) => boolean;
}

const SKIP = "__ask_question_skip__";
const NOT_KNOWN = -32_601;
const allowOnce = { optionId: "allow-once", name: "Allow once", kind: "allow_once" };
const permissionOptions = [
  allowOnce,
  { optionId: "allow-always", name: "Allow always", kind: "allow_always" },
  { optionId: "reject-once", name: "Reject", kind: "reject_once" },
];

/** Asks the client as `agent acp` does. */
export function createAcpAsker(options: AcpAskerOptions): Asker {
  const { peer, sessionId, has } = options;
  const about = has("asks-without-session") ? {} : { sessionId };

  async function choose(toolCall: object, choices: readonly object[]): Promise<string | undefined> {
    const answer = await peer.request("session/request_permission", { sessionId, toolCall, options: choices });
    const outcome = outcomeOf(answer);
    return outcome["outcome"] === "selected" ? String(outcome["optionId"]) : undefined;
  }

  /** How it asks a client that does not know `cursor/ask_question`: each question as if it were a permission. */
  async function questionsAsPermissions({ toolCallId, args }: AskedCall): Promise<ToolOutcome> {
    const answers: object[] = [];
    for (const question of questionsOf(args)) {
      const choices = question.options.map(({ id, label }) => ({ optionId: id, name: label, kind: "allow_once" }));
      const skip = { optionId: SKIP, name: "Skip", kind: "reject_once" };
      const chosen = await choose({ toolCallId, title: question.prompt, kind: "other" }, [...choices, skip]);
      if (chosen === undefined || chosen === SKIP) return skipped("Skipped");
      answers.push({ questionId: question.id, selectedOptionIds: [chosen] });
    }
    return answered(args, answers);
  }

  return {
    async permit(call) {
      if (options.isAlwaysAllowed(call)) return true;
      const chosen = await choose(permissionCall(call, options.newId), permissionOptions);
      if (chosen === "allow-always") options.allowAlways(call);
      return chosen === "allow-once" || chosen === "allow-always";
    },
    async question(call) {
      if (has("no-ask-question")) return failed("Tool not found: AskQuestion");
      const { toolCallId, args } = call;
      const { title, questions } = args;
      try {
        const answer = await peer.request("cursor/ask_question", { toolCallId, title, questions, ...about });
        const outcome = outcomeOf(answer);
        if (outcome["outcome"] === "answered") return answered(args, outcome["answers"]);
        return skipped(String(outcome["reason"] ?? "Skipped"));
      } catch (reason) {
        if (isUnknownMethod(reason)) return await questionsAsPermissions(call);
        throw reason;
      }
    },
    async plan({ toolCallId, args }) {
      const { plan, name, overview, todos, isProject } = args;
      const named = has("plan-as-object") ? { title: name, plan: { content: plan } } : { name, plan };
      const asked = { toolCallId, ...named, overview, todos, isProject, phases: [], ...about };
      const verdict = await peer.request("cursor/create_plan", asked).then(
        (answer) => String(outcomeOf(answer)["outcome"]),
        // A client that knows nothing of plans has accepted this one.
        (reason: unknown) => (isUnknownMethod(reason) ? "accepted" : "cancelled"),
      );
      if (verdict !== "accepted")
        return { result: { rejected: { reason: verdict } }, ok: false, output: `The plan was ${verdict}.` };
      if (has("plan-ends-turn")) options.endTurn();
      return { result: { success: {}, planUri: "" }, ok: true, output: "The plan was accepted." };
    },
    async notify({ toolCallId, key, args }) {
      const method = key === "taskToolCall" ? "cursor/task" : "cursor/update_todos";
      const params = { toolCallId, ...args, ...about };
      if (has("todos-as-notification")) peer.notify(method, params);
      else await peer.request(method, params);
    },
  };
}

function isUnknownMethod(reason: unknown): boolean {
  return reason instanceof RpcError && reason.code === NOT_KNOWN;
}

/** Answers are nested: `{outcome: {outcome: …}}`. One that is not counts as cancelled. */
function outcomeOf(answer: unknown): ToolArgs {
  const outcome = isRecord(answer) ? answer["outcome"] : undefined;
  return isRecord(outcome) ? outcome : { outcome: "cancelled" };
}

/** A call as it stands in a request for permission, where an MCP tool has yet another name. */
function permissionCall({ toolCallId, key, args }: AskedCall, newId: () => string): object {
  if (key === "mcpToolCall") {
    const { providerIdentifier: server, toolName, args: rawInput } = args;
    return { toolCallId, title: `${server}-${server}: ${toolName}`, kind: "other", rawInput };
  }
  const shown = { title: titleOf({ key, args }), kind: kindOf(key), rawInput: rawInputOf({ key, args }) };
  if (key === "webFetchToolCall") return { toolCallId: `web_fetch_${newId()}`, ...shown };
  if (key === "webSearchToolCall") return { toolCallId: `web_search_${newId()}`, ...shown };
  const text = `Not in allowlist: ${String(args["command"])}`;
  return { toolCallId, ...shown, content: [{ type: "content", content: { type: "text", text } }] };
}

interface Question {
  readonly id: string;
  readonly prompt: string;
  readonly options: readonly { readonly id: string; readonly label: string }[];
}

function questionsOf(args: ToolArgs): readonly Question[] {
  // The tool that asks has made them.
  return args["questions"] as readonly Question[];
}

function answered(args: ToolArgs, answers: unknown): ToolOutcome {
  const list = Array.isArray(answers) ? answers.filter(isRecord) : [];
  const labels = new Map(
    questionsOf(args).flatMap(({ options }) => options.map(({ id, label }) => [id, label] as const)),
  );
  const chosen = list.flatMap(({ selectedOptionIds, freeText }) => [
    ...(Array.isArray(selectedOptionIds) ? selectedOptionIds.map((id) => labels.get(String(id)) ?? String(id)) : []),
    ...(typeof freeText === "string" ? [freeText] : []),
  ]);
  return { result: { success: { answers: list } }, ok: true, output: `The user chose: ${chosen.join(", ")}` };
}

function skipped(reason: string): ToolOutcome {
  return { result: { rejected: { reason } }, ok: false, output: reason, keepsArgs: true };
}

function failed(error: string): ToolOutcome {
  return { result: { error: { error } }, ok: false, output: error };
}
