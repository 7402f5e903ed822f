import { CaretError, type ConversationRequest, type Owner } from "@caret/protocol";
import { toAgentTools } from "../../lanes/bridge/agent-tools.ts";
import type { ClientToolsOffer } from "../../turns/session-engine.ts";

/** What a request says about the client's tools, by the agent's names. */
export interface ToolTerms {
  readonly offer: ClientToolsOffer;
  /** The answer must call one of these; undefined: no call is required. */
  readonly demanded: readonly string[] | undefined;
}

/** Throws for a demand that no answer could meet. */
export function toolTermsOf(request: ConversationRequest, owner: Owner): ToolTerms {
  const { toolChoice, callableTools, parallelCalls } = request;
  const tools = toAgentTools(request.tools);
  const named = (names: readonly string[]): readonly string[] =>
    tools.filter(({ name, origin }) => names.includes(origin?.name ?? name)).map(({ name }) => name);
  const choosable = callableTools === undefined ? undefined : named(callableTools);
  const callable = toolChoice === "none" ? [] : typeof toolChoice === "object" ? named([toolChoice.name]) : choosable;
  const isDemanded = toolChoice === "required" || typeof toolChoice === "object";
  const demanded = isDemanded ? (callable ?? tools.map(({ name }) => name)) : undefined;
  if (demanded !== undefined) assertCallable(demanded, owner);
  const offer = { tools, parallel: parallelCalls, ...(callable === undefined ? {} : { callable }) };
  return { offer, demanded };
}

function assertCallable(demanded: readonly string[], owner: Owner): void {
  if (demanded.length === 0)
    throw new CaretError("invalid-request", "tool_choice demands a call, but no tool can be called");
  if (owner !== "client")
    throw new CaretError("unsupported", `tool_choice demands a call, but the client's tools are not used: ${owner}`, {
      fix: "Let the client run the tools (`x-caret-tools: client`), or leave tool_choice out.",
    });
}

/** States the demand as a rule for the agent: upstream cannot enforce it. */
export function demandRule(names: readonly string[]): string {
  return `The client that shows your answer can use nothing but a tool call: call ${nameList(names)} in this answer. Do not answer in words instead, and do not ask back.`;
}

/** The prompt for an agent that answered in words despite the rule. */
export function demandAgain(names: readonly string[]): string {
  return `You have not called ${nameList(names)}, and the client can use nothing else. Call it now, with arguments that fit what was asked for.`;
}

export function demandUnmet(names: readonly string[]): CaretError {
  return new CaretError("tool-not-called", `The agent did not call ${nameList(names)}, though it was asked to twice`);
}

function nameList(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length === 1 ? `the tool ${quoted[0]}` : `one of the tools ${quoted.join(", ")}`;
}
