import { CaretError } from "@caret/protocol";
import type { TurnMode } from "../engine/lane.ts";
import type { LineageQuestion } from "../lineage/classify-transcript.ts";
import { chooseWorkspace } from "./choose-workspace.ts";
import type { DeskCaller, DeskRequest, ModelWish } from "./turn-desk.ts";

/** A request that has been looked at: everything but what it is to the sessions we know. */
export interface Enquiry {
  readonly question: LineageQuestion;
  readonly model: string;
  readonly mode: TurnMode | undefined;
  readonly workspace: string | undefined;
}

export interface EnquirySettings {
  /** Throws `model-unknown`. */
  readonly resolveModel: (wish: ModelWish) => Promise<string>;
  readonly defaultWorkspace: string | undefined;
}

export async function toEnquiry(
  request: DeskRequest,
  caller: DeskCaller,
  { resolveModel, defaultWorkspace }: EnquirySettings,
): Promise<Enquiry> {
  const mode = modeFor(request.owner);
  const places = { asked: request.workspace, bound: caller.workspace, fallback: defaultWorkspace };
  const workspace = chooseWorkspace(places);
  const model = await resolveModel(request.wish);
  const { system, tools, messages, sessionKey } = request;
  const place = [caller.tokenName, workspace ?? "", request.owner ?? ""];
  return { question: { system, tools, messages, sessionKey, place }, model, mode, workspace };
}

/** Whose tools the client wants. Those of its own need a bridge to it, which this desk has not. */
function modeFor(owner: string | undefined): TurnMode | undefined {
  if (owner === undefined || owner === "agent") return undefined;
  if (owner === "none") return "ask";
  if (owner === "client" || owner === "gateway")
    throw new CaretError("unsupported", `Tools owned by the ${owner} are not offered here`, {
      fix: "Leave the header out, or say `agent` or `none`.",
    });
  throw new CaretError("invalid-request", `Nobody called ${JSON.stringify(owner.slice(0, 40))} owns tools`, {
    fix: "Say `agent` or `none`.",
  });
}
