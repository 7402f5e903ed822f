import type { AgentEvent, AgentEventOf, GrantOffer } from "@caret/protocol";
import type { Git } from "../../git/run-git.ts";
import { judgeWithGit } from "../../policy/git-settings.ts";
import { type GrantScope, grantWords } from "../../policy/grants/grant.ts";
import { offerGrants } from "../../policy/grants/offer-grants.ts";
import type { SessionGrants } from "../../policy/grants/session-grants.ts";
import type { Policy, PolicyDecision } from "../../policy/policy.ts";
import type { PolicyCall } from "../../policy/policy-parts.ts";
import type { CallPreview } from "../../tools/tool.ts";
import type { ToolCallResult } from "../../tools/tool-registry.ts";
import { approvedByGrants } from "./approval-answers.ts";
import type { AskedTurn } from "./turn-asks.ts";

/** A request must be shown whole to be approved, and nobody reads more than this. */
const MAX_REQUEST_CHARACTERS = 2 * 1024 * 1024;

export interface CallApprovalsOptions {
  readonly git: Git;
  readonly policy: Policy;
  readonly asks: Pick<AskedTurn, "approval">;
  readonly grants: Pick<SessionGrants, "use">;
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
}

export interface CallVerdict {
  readonly isAllowed: boolean;
  /** For the model, if the call is not allowed. */
  readonly reason: string;
  /** The resolved paths that were judged; the call may run only on these. */
  readonly judgedPaths: readonly string[];
  readonly leavesOut: PolicyDecision["leavesOut"];
  /** The state that the person was shown; the call may run only in this state. */
  readonly shownState?: string;
}

export interface AskOptions {
  readonly signal: AbortSignal;
  /** What the call would do, for the person asked; or why it cannot be done, in which case no one is asked. */
  readonly preview: (
    judgedPaths: readonly string[],
  ) => Promise<{ readonly preview: CallPreview } | { readonly failed: ToolCallResult }>;
  /** Shown to the person in addition to the policy's reason. */
  readonly note?: string;
}

/** Decides whether a call may run: by the policy, by a grant for the session, or by asking a person. */
export interface CallApprovals {
  /** Resolves when the verdict is in the log. */
  decide(call: PolicyCall, options: AskOptions): Promise<CallVerdict | { readonly failed: ToolCallResult }>;
}

export function createCallApprovals({ git, policy, asks, grants, write }: CallApprovalsOptions): CallApprovals {
  const ask = async (call: PolicyCall, decision: PolicyDecision, { signal, preview, note }: AskOptions) => {
    const { judgedPaths, leavesOut } = decision;
    const shown = await preview(judgedPaths);
    if ("failed" in shown) return shown;
    const { state, ...rest } = shown.preview;
    const scopes = offerGrants({ call, decision });
    const request = toRequest(call, decision, { ...rest, ...toOffers(scopes) }, note);
    if (JSON.stringify(request).length > MAX_REQUEST_CHARACTERS) return { failed: tooLarge(call) };
    const answer = await asks.approval(request, signal, { scopes, use: () => grants.use({ call, decision }) });
    const said = answer.by === "person" ? ["The user rejected it", answer.reason] : [answer.reason ?? decision.reason];
    // A grant covers the call in any state: no one has looked at this one.
    const shownState = state === undefined || answer.by === "grant" ? {} : { shownState: state };
    const reason = said.filter(Boolean).join(": ");
    return { isAllowed: answer.decision === "approved", reason, judgedPaths, leavesOut, ...shownState };
  };

  return {
    async decide(call, options) {
      const decision = await judgeWithGit(git, (answers) => policy.decide(call, answers));
      const { effect, reason, judgedPaths, leavesOut, request, events } = decision;
      if (effect !== "ask") {
        await write(events);
        return { isAllowed: effect === "allow", reason, judgedPaths, leavesOut };
      }
      const used = grants.use({ call, decision });
      if (used === undefined) return await ask(call, decision, options);
      const answer = approvedByGrants(request.requestId, used);
      await write([toRequest(call, decision, {}, undefined), answer]);
      return { isAllowed: true, reason: answer.reason ?? "", judgedPaths, leavesOut };
    },
  };
}

type Shown = Pick<AgentEventOf<"approval-request">, "effect" | "diff" | "grants">;

/** Everything a person should know before deciding. */
function toRequest(
  { kind, server }: PolicyCall,
  { request, reason, danger }: PolicyDecision,
  shown: Shown,
  note: string | undefined,
): AgentEventOf<"approval-request"> {
  return {
    ...request,
    kind,
    ...(server === undefined ? {} : { server }),
    reason: note === undefined ? reason : `${note}: ${reason}`,
    ...(danger === undefined ? {} : { danger }),
    ...shown,
  };
}

/** Numbered by position: an offer's id is its place in the request. */
function toOffers(scopes: readonly GrantScope[]): { readonly grants?: GrantOffer[] } {
  if (scopes.length === 0) return {};
  return { grants: scopes.map((scope, index) => ({ id: String(index + 1), kind: scope.kind, ...grantWords(scope) })) };
}

function tooLarge({ tool }: PolicyCall): ToolCallResult {
  const output = `${tool} was not run: it is too large to be shown to the user, who would have to approve it. Do it in smaller steps.`;
  return { status: "rejected", output, outcomeClass: "permission", durationMs: 0 };
}
