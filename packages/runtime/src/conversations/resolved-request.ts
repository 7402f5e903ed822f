import { createHash } from "node:crypto";
import {
  type Caller,
  CaretError,
  type CommandKey,
  type ConversationRequest,
  keeperOf,
  type Owner,
  type RequestedModel,
} from "@caret/protocol";
import { chooseWorkspace } from "../paths/choose-workspace.ts";
import type { ClientProcess, FindClientProcess } from "../process/find-client-process.ts";
import { passableText } from "../turns/prompt-marks.ts";
import { type FormatDemand, formatDemandOf } from "./demands/format-demand.ts";
import type { JsonValidators } from "./demands/json-validator.ts";
import { type ToolTerms, toolTermsOf } from "./demands/tool-demand.ts";
import { type ReadQuestion, readQuestion } from "./matching/read-question.ts";

/** Owners by the names people use; the second group is from an older bridge for OpenCode. */
const owners: ReadonlyMap<string, Owner> = new Map([
  ["agent", "agent"],
  ["client", "client"],
  ["gateway", "gateway"],
  ["none", "none"],
  ["opencode", "client"],
  ["proxy-exec", "gateway"],
  ["off", "none"],
]);

/** A parsed request: everything except its relation to the known sessions. */
export interface ResolvedRequest {
  readonly question: ReadQuestion;
  readonly tokenName: string;
  readonly user: string | undefined;
  readonly team: string | undefined;
  /** Trace context, if requests are traced. */
  readonly traceparent: string | undefined;
  /** Whose conversations it may continue. */
  readonly keeper: string;
  /** The client wants one turn for this request, however often it is sent. */
  readonly command: CommandKey | undefined;
  /** The client's library marks the request as an automatic retry. */
  readonly isSentAgain: boolean;
  /** The requesting process; undefined if it is unknown, or if no call will ever wait for it. */
  readonly client: Promise<ClientProcess | undefined>;
  readonly model: string;
  /** Who runs the tools of this turn. */
  readonly owner: Owner;
  /** The agent works in a directory of ours: it has no workspace, or nothing to do there by itself. */
  readonly isApart: boolean;
  /** What the request says about the client's tools. */
  readonly terms: ToolTerms;
  /** What the answer's text must be; undefined: any words do. */
  readonly format: FormatDemand | undefined;
  /** Tools that the request lists but no one here can run. */
  readonly unavailableTools: readonly string[];
  /** Where the client works. The agent works there as well, unless the client or the gateway runs its tools. */
  readonly workspace: string | undefined;
}

export interface RequestSettings {
  /** Throws `model-unknown`. */
  readonly resolveModel: (requestedModel: RequestedModel) => Promise<string>;
  readonly defaultWorkspace: string | undefined;
  /** Omitted: clients are known only by their requests. */
  readonly findClient?: FindClientProcess;
  /** Who runs the tools if a request does not say; undefined: depends on what the request offers. */
  readonly toolsOwner?: string | undefined;
}

export interface RequestKnowledge extends RequestSettings {
  /** Loaded for the first request that needs them. */
  readonly validators: () => Promise<JsonValidators>;
}

export async function resolveRequest(
  request: ConversationRequest,
  caller: Caller,
  { resolveModel, defaultWorkspace, toolsOwner, findClient, validators }: RequestKnowledge,
): Promise<ResolvedRequest> {
  const choice = {
    asked: request.owner,
    configured: toolsOwner,
    offersTools: request.tools.length > 0,
    unavailableTools: request.unavailableTools,
  };
  const owner = toolOwner({ ...choice, forbidsTools: request.toolChoice === "none" });
  // Tools forbidden for one answer still exist: the conversation continues where it was.
  const usual = owner === "none" && choice.offersTools ? toolOwner({ ...choice, forbidsTools: false }) : owner;
  const terms = toolTermsOf(request, owner);
  const format = request.format && formatDemandOf(request.format, request, await validators());
  const places = { asked: request.workspace, bound: caller.workspace, fallback: defaultWorkspace };
  const workspace = chooseWorkspace(places);
  const isApart = workspace === undefined || usual === "client" || usual === "gateway";
  const model = await resolveModel(request.requestedModel);
  const question = readQuestion({
    ...transcriptOf(request),
    place: [keeperOf(caller), workspace ?? ""],
    owner: usual,
    variant: [model, owner, JSON.stringify(request.toolChoice), request.sampling ?? ""],
    sendsSystem: !isApart,
  });
  // Only a client that runs tools is waited for.
  const connection = owner === "client" ? caller.connection : undefined;
  const client = connection && findClient?.(connection);
  return {
    question,
    tokenName: caller.tokenName,
    user: caller.user,
    team: caller.team,
    traceparent: caller.traceparent,
    keeper: keeperOf(caller),
    command: requestCommand(request, caller),
    isSentAgain: request.isSentAgain === true,
    client: client ?? Promise.resolve(undefined),
    model,
    owner,
    isApart,
    terms,
    format,
    unavailableTools: request.unavailableTools,
    workspace,
  };
}

/**
 * The scope of conversations a request can belong to, without anything only its agent's machine knows: requests of one conversation have
 * the same scope at every gateway.
 */
export function requestScope(request: ConversationRequest, caller: Caller): string {
  const place = [keeperOf(caller), request.workspace ?? caller.workspace ?? ""];
  return readQuestion({ ...transcriptOf(request), place, owner: "", variant: [], sendsSystem: false }).scope;
}

function transcriptOf(request: ConversationRequest) {
  const { system, tools, messages, sessionKey, conversation, codingClient, isSideCall } = request;
  // It may reach an agent in its prompt, in a file or in a server's description of itself.
  return { system: passableText(system), tools, messages, sessionKey, conversation, codingClient, isSideCall };
}

/** The log's record name for a request with an idempotency key. Keys are separate per user, token and door. */
function requestCommand(request: ConversationRequest, caller: Caller): CommandKey | undefined {
  // Streaming the answer or resending the request does not make it another request.
  const { isWhole: _isWhole, isSentAgain: _isSentAgain, messages, system, conversation, sent, ...asked } = request;
  const { idempotencyKey, door = "" } = asked;
  if (idempotencyKey === undefined) return undefined;
  // Stored messages lose their secrets at a restart, so they are identified by what was sent.
  const body = sent === undefined ? { messages, system, conversation } : { sent };
  return { name: digestOf([keeperOf(caller), door, idempotencyKey]), digest: digestOf({ ...asked, ...body }) };
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}

export interface OwnerQuestion {
  /** The request's choice, from the header `x-caret-tools`. */
  readonly asked: string | undefined;
  /** The gateway's configuration for requests without a choice. */
  readonly configured: string | undefined;
  readonly offersTools: boolean;
  /** Tools that the request lists but no one here can run. */
  readonly unavailableTools: readonly string[];
  readonly forbidsTools: boolean;
}

/**
 * Who runs the tools of a turn; decided before it starts and kept. By default the client does if it offers tools, otherwise the agent. A
 * client is refused if none of the tools it wants can be offered: it did not ask for an agent with tools of its own.
 */
export function toolOwner(question: OwnerQuestion): Owner {
  const { asked, configured, offersTools, unavailableTools, forbidsTools } = question;
  if (asked !== undefined) return parseOwner(asked);
  if (forbidsTools) return "none";
  const chosen = configured === undefined ? undefined : parseOwner(configured);
  if (offersTools) return chosen ?? "client";
  if (chosen !== undefined && chosen !== "client") return chosen;
  if (unavailableTools.length > 0) throw noneCanBeOffered(unavailableTools);
  return "agent";
}

function noneCanBeOffered(types: readonly string[]): CaretError {
  return new CaretError("unsupported", `Nobody here can run the tools of the request: ${types.join(", ")}`, {
    fix: "Offer tools that the client runs, or send none; `x-caret-tools: agent` lets the agent use tools of its own.",
  });
}

function parseOwner(name: string): Owner {
  const owner = owners.get(name.trim().toLowerCase());
  if (owner !== undefined) return owner;
  throw new CaretError("invalid-request", `Nobody called ${JSON.stringify(name.slice(0, 40))} owns tools`, {
    fix: "Say `client`, `gateway`, `agent` or `none`.",
  });
}
