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

/** Owners by the names people give them; the second row are those of an older bridge for OpenCode. */
const owners: ReadonlyMap<string, Owner> = new Map([
  ["agent", "agent"],
  ["client", "client"],
  ["gateway", "gateway"],
  ["none", "none"],
  ["opencode", "client"],
  ["proxy-exec", "gateway"],
  ["off", "none"],
]);

/** A request that has been looked at: everything but what it is to the sessions we know. */
export interface ResolvedRequest {
  readonly question: ReadQuestion;
  readonly tokenName: string;
  readonly user: string | undefined;
  readonly team: string | undefined;
  /** Where requests are traced. */
  readonly traceparent: string | undefined;
  /** Whose conversations it may go on with. */
  readonly keeper: string;
  /** The client wants one turn for this request, however often it sends it. */
  readonly command: CommandKey | undefined;
  /** The client's library says that it sends the request again by itself. */
  readonly isSentAgain: boolean;
  /** The process that asks; undefined when it is not known, or when no call will ever wait for it. */
  readonly client: Promise<ClientProcess | undefined>;
  readonly model: string;
  /** Who runs the tools of this turn. */
  readonly owner: Owner;
  /** The agent works in a directory of our own: it has no workspace, or nothing to do there by itself. */
  readonly isApart: boolean;
  /** What the request says of the client's tools. */
  readonly terms: ToolTerms;
  /** What the text of the answer has to be; undefined: any words do. */
  readonly format: FormatDemand | undefined;
  /** Tools that the request lists and nobody here can run. */
  readonly unavailableTools: readonly string[];
  /** Where the client works. The agent works there too, unless the client or the gateway runs its tools. */
  readonly workspace: string | undefined;
}

export interface RequestSettings {
  /** Throws `model-unknown`. */
  readonly resolveModel: (requestedModel: RequestedModel) => Promise<string>;
  readonly defaultWorkspace: string | undefined;
  /** Absent: nothing is known of clients beyond their requests. */
  readonly findClient?: FindClientProcess;
  /** Who runs the tools when a request does not say; undefined leaves it to what the request offers. */
  readonly toolsOwner?: string | undefined;
}

export interface RequestKnowledge extends RequestSettings {
  /** Loaded with the first request that needs them. */
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
  // Tools that are forbidden for one answer are still there: the conversation goes on where it was.
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
 * Which conversations a request can belong to, without anything that only the machine of its agent knows: requests of one
 * conversation have the same scope at every gateway.
 */
export function requestScope(request: ConversationRequest, caller: Caller): string {
  const place = [keeperOf(caller), request.workspace ?? caller.workspace ?? ""];
  return readQuestion({ ...transcriptOf(request), place, owner: "", variant: [], sendsSystem: false }).scope;
}

function transcriptOf(request: ConversationRequest) {
  const { system, tools, messages, sessionKey, conversation, codingClient, isSideCall } = request;
  // An agent finds it in its prompt, in a file or in what a server says of itself.
  return { system: passableText(system), tools, messages, sessionKey, conversation, codingClient, isSideCall };
}

/** What a request with an idempotency key is recorded as in the log. Keys of another user, token or door are other keys. */
function requestCommand(request: ConversationRequest, caller: Caller): CommandKey | undefined {
  // Whether the answer is streamed, or the request was sent before, makes no other request of it.
  const { isWhole: _isWhole, isSentAgain: _isSentAgain, messages, system, conversation, sent, ...asked } = request;
  const { idempotencyKey, door = "" } = asked;
  if (idempotencyKey === undefined) return undefined;
  // Kept messages lose their secrets with a restart, and are named by what was sent.
  const body = sent === undefined ? { messages, system, conversation } : { sent };
  return { name: digestOf([keeperOf(caller), door, idempotencyKey]), digest: digestOf({ ...asked, ...body }) };
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}

export interface OwnerQuestion {
  /** What the request says, in the header `x-caret-tools`. */
  readonly asked: string | undefined;
  /** What the gateway is configured to do when the request says nothing. */
  readonly configured: string | undefined;
  readonly offersTools: boolean;
  /** Tools that the request lists and nobody here can run. */
  readonly unavailableTools: readonly string[];
  readonly forbidsTools: boolean;
}

/**
 * Who runs the tools of a turn; decided before it starts, and kept. By default the client does when it
 * offers tools, and the agent does when it offers none. A client that wants tools none of which can be offered is refused:
 * it did not ask for an agent that works with tools of its own.
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
