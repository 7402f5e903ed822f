import { choreWords } from "./asks-for-chores.ts";
import type { ScopeRecord } from "./lineage-store.ts";
import type { Transcript } from "./transcript.ts";

/** A request that is not the client's conversation itself: a title, a summary, a page to sum up, a subagent. */
export type SideCall =
  /** It offers tools of its own, as a subagent does. It is a session like any other. */
  | { readonly kind: "subagent" }
  /** It offers no tools: its agent gets none either, and works in an empty directory, whatever the workspace is. */
  | { readonly kind: "aside"; readonly removal: Removal };

/**
 * When the log of a side call is deleted. `sure`: as soon as its answer cannot be wanted again. `when-apart`: the same, if
 * its client has had another conversation under the same name by then. `never`: it may be a conversation after all.
 */
export type Removal = "sure" | "when-apart" | "never";

export interface SideCallQuestion extends Transcript {
  readonly sessionKey: string | undefined;
  /** The name of a coding client that offers tools in all its conversations; undefined for any other. */
  readonly codingClient?: string | undefined;
  /** The client says itself that this is a side call. */
  readonly isSideCall?: boolean | undefined;
}

/**
 * Side calls are told by their shape: a client that has shown tools, or is known to, and now shows none. What they say only
 * decides whether their log may be deleted; and it makes a side call of its own only under a name, at the beginning, and
 * in words that nobody uses in a conversation.
 */
export function sideCallOf(
  question: SideCallQuestion & { readonly systemId: string },
  known: ScopeRecord | undefined,
): SideCall | undefined {
  const isOther = known !== undefined && known.systemId !== question.systemId;
  if (question.tools.length > 0)
    return isOther && question.tools.length < known.toolCount ? { kind: "subagent" } : undefined;
  const removal = removalOf(question, known, isOther);
  return removal === undefined ? undefined : { kind: "aside", removal };
}

/** Of a request without tools; undefined when it is no side call. */
function removalOf(question: SideCallQuestion, known: ScopeRecord | undefined, isOther: boolean): Removal | undefined {
  if (question.isSideCall === true) return "sure";
  const words = choreWords(question);
  const isFirst = !question.messages.some(({ role }) => role === "assistant");
  const isCoder = question.codingClient !== undefined;
  const hasShownTools = known?.hasShownTools === true;
  if (hasShownTools || isCoder) {
    const isSure = words !== undefined || (hasShownTools && isCoder && isFirst);
    return isSure ? "sure" : "never";
  }
  if (question.sessionKey === undefined || !isFirst || words === undefined) return undefined;
  if (words === "system") return "when-apart";
  return isOther ? "sure" : undefined;
}
