import type { CommandKey, Owner } from "@caret/protocol";
import { type ReadQuestion, readQuestion } from "../lineage/read-question.ts";
import type { ClientProcess, FindClientProcess } from "../process/find-client-process.ts";
import { chooseWorkspace } from "./choose-workspace.ts";
import { requestCommand } from "./request-command.ts";
import { type ToolTerms, toolTermsOf } from "./tool-demand.ts";
import { toolOwner } from "./tool-owner.ts";
import type { DeskCaller, DeskRequest, ModelWish } from "./turn-desk.ts";

/** A request that has been looked at: everything but what it is to the sessions we know. */
export interface Enquiry {
  readonly question: ReadQuestion;
  readonly tokenName: string;
  /** The client wants one turn for this request, however often it sends it. */
  readonly command: CommandKey | undefined;
  /** The process that asks; undefined when it is not known, or when no call will ever wait for it. */
  readonly client: Promise<ClientProcess | undefined>;
  readonly model: string;
  /** Who runs the tools of this turn. */
  readonly owner: Owner;
  /** The agent works in a directory of our own: it has no workspace, or nothing to do there by itself. */
  readonly isApart: boolean;
  /** What the request says of the client's tools. */
  readonly terms: ToolTerms;
  /** Tools that the request lists and nobody here can run. */
  readonly unavailableTools: readonly string[];
  /** Where the client works. The agent works there too, unless somebody else runs its tools. */
  readonly workspace: string | undefined;
}

export interface EnquirySettings {
  /** Throws `model-unknown`. */
  readonly resolveModel: (wish: ModelWish) => Promise<string>;
  readonly defaultWorkspace: string | undefined;
  /** Absent: nothing is known of clients beyond their requests. */
  readonly findClient?: FindClientProcess;
  /** Who runs the tools when a request does not say; undefined leaves it to what the request offers. */
  readonly toolsOwner?: string | undefined;
}

export async function toEnquiry(
  request: DeskRequest,
  caller: DeskCaller,
  { resolveModel, defaultWorkspace, toolsOwner, findClient }: EnquirySettings,
): Promise<Enquiry> {
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
  const places = { asked: request.workspace, bound: caller.workspace, fallback: defaultWorkspace };
  const workspace = chooseWorkspace(places);
  const isApart = workspace === undefined || usual === "client" || usual === "gateway";
  const model = await resolveModel(request.wish);
  const question = readQuestion({
    ...transcriptOf(request),
    place: [caller.tokenName, workspace ?? ""],
    owner: usual,
    variant: [model, owner, JSON.stringify(request.toolChoice), request.sampling ?? ""],
    tellsSystem: !isApart,
  });
  // Only a client that runs tools is waited for.
  const connection = owner === "client" ? caller.connection : undefined;
  const client = connection && findClient?.(connection);
  return {
    question,
    tokenName: caller.tokenName,
    command: requestCommand(request, caller),
    client: client ?? Promise.resolve(undefined),
    model,
    owner,
    isApart,
    terms,
    unavailableTools: request.unavailableTools,
    workspace,
  };
}

function transcriptOf(request: DeskRequest) {
  const { system, tools, messages, sessionKey, codingClient, isSideCall } = request;
  return { system, tools, messages, sessionKey, codingClient, isSideCall };
}
