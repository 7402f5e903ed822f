import type { Owner } from "@caret/protocol";
import type { LineageQuestion } from "../lineage/classify-transcript.ts";
import type { ClientProcess, FindClientProcess } from "../process/find-client-process.ts";
import { chooseWorkspace } from "./choose-workspace.ts";
import { type ToolTerms, toolTermsOf } from "./tool-demand.ts";
import { toolOwner } from "./tool-owner.ts";
import type { DeskCaller, DeskRequest, ModelWish } from "./turn-desk.ts";

/** A request that has been looked at: everything but what it is to the sessions we know. */
export interface Enquiry {
  readonly question: LineageQuestion;
  readonly tokenName: string;
  /** The process that asks; undefined when it is not known, or when no call will ever wait for it. */
  readonly client: Promise<ClientProcess | undefined>;
  readonly model: string;
  /** Who runs the tools. */
  readonly owner: Owner;
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
  const owner = toolOwner({
    asked: request.owner,
    configured: toolsOwner,
    offersTools: request.tools.length > 0,
    unavailableTools: request.unavailableTools,
    forbidsTools: request.toolChoice === "none",
  });
  const terms = toolTermsOf(request, owner);
  const places = { asked: request.workspace, bound: caller.workspace, fallback: defaultWorkspace };
  const workspace = chooseWorkspace(places);
  const model = await resolveModel(request.wish);
  const { system, tools, unavailableTools, messages, sessionKey } = request;
  const place = [caller.tokenName, workspace ?? "", owner];
  const question = { system, tools, messages, sessionKey, place };
  // Only a client that runs tools is waited for.
  const connection = owner === "client" ? caller.connection : undefined;
  const client = connection && findClient?.(connection);
  return {
    question,
    tokenName: caller.tokenName,
    client: client ?? Promise.resolve(undefined),
    model,
    owner,
    terms,
    unavailableTools,
    workspace,
  };
}
