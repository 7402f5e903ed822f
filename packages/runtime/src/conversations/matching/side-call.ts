import type { TranscriptMessage } from "@caret/protocol";
import { spokenText } from "./chain.ts";
import { isClientChore } from "./client-chores.ts";
import type { ScopeRecord } from "./lineage-store.ts";
import type { Transcript } from "./transcript.ts";

/** How clients instruct a model to name or sum up a conversation instead of taking part in it. */
const choreSystems: readonly RegExp[] = [
  /\btitle generator\b/i,
  /\bnaming (?:an? |the |this )?(?:\w+ )?(?:session|conversation|chat|thread)\b/i,
  /\b(?:generat|creat|writ|suggest|produc)(?:es?|ing)\b[^.\n]{0,60}\b(?:session|conversation|chat|thread) (?:title|name)s?\b/i,
  /\b(?:generat|creat|writ|suggest|produc)(?:es?|ing)\b[^.\n]{0,60}\b(?:title|name)s? (?:\([^)\n]*\) )?(?:for|of|that)\b[^.\n]{0,60}\b(?:session|conversation|chat|thread)s?\b/i,
  /\b(?:context|conversation|session) summari[sz](?:ation|ing|er)\b/i,
  /\btasked with summari[sz]ing (?:the |this )?(?:conversation|session|chat)s?\b/i,
  /\b(?:indicates|is|starts) a new (?:conversation )?topic\b/i,
];

/** Only the beginning of a system prompt says what the model is; the rest of a long one may be about anything. */
const READ_SYSTEM = 600;

/** The same in a user message, where it must come first and be about a conversation: people ask for titles as well. */
const choreQuestions: readonly RegExp[] = [
  /^\W*(?:please )?(?:generate|create|write|suggest|provide)\b[^.\n]{0,60}\b(?:title|name)s?\b[^.\n]{0,30}\b(?:for|of) (?:this|the|our|the following|a) (?:\w+ )?(?:conversation|chat|thread|session)\b/i,
  /^\W*(?:please )?(?:generate|create|write|suggest|provide)\b[^.\n]{0,40}\b(?:task|session|conversation|chat|thread) (?:title|name)\b/i,
  /^\W*(?:please )?summari[sz]e (?:what was done in )?(?:this|the|our|the following) (?:\w+ )?(?:conversation|chat|thread|session)\b/i,
  /^\W*(?:provide|create|write|produce)\b[^.\n]{0,40}\b(?:prompt for continuing|summary (?:of|from)) (?:this|the|our) (?:\w+ )?(?:conversation|chat|session)\b/i,
  /\bcontext (?:checkpoint )?compaction\b/i,
  /\byour task is to create a (?:detailed |structured )?summary of (?:this|the|our) conversation\b/i,
  /\b(?:create|update) (?:a new |the )?anchored summary\b/i,
  /^\W*(?:analyze|decide|determine|does|is)\b[^.\n]{0,60}\ba new (?:conversation )?topic\b/i,
];

const READ_QUESTION = 2_000;

/** A request that is not part of the client's own conversation: a title, a summary, a page to sum up, a subagent. */
export type SideCall =
  /** Offers tools of its own, as a subagent does. It is a session like any other. */
  | { readonly kind: "subagent" }
  /** Offers no tools: its agent gets none either and works in an empty directory, whatever the workspace. */
  | { readonly kind: "aside"; readonly removal: Removal };

/**
 * When a side call's log is deleted. `sure`: once its answer cannot be requested again. `when-apart`: the same, provided its client has
 * had another conversation under the same name by then. `never`: it may be a conversation.
 */
export type Removal = "sure" | "when-apart" | "never";

export interface SideCallQuestion extends Transcript {
  readonly sessionKey: string | undefined;
  /** Name of a coding client that offers tools in all its conversations; otherwise undefined. */
  readonly codingClient?: string | undefined;
  /** The client itself declares this a side call. */
  readonly isSideCall?: boolean | undefined;
  /** It has no name and quotes a request that was made with tools. */
  readonly bearsMark?: boolean | undefined;
}

/**
 * Side calls are recognised by their shape: a client that has shown tools, or is known to, now shows none. Their words normally only
 * decide whether their log may be deleted. Words alone make a side call in two cases: under a name, at the beginning, in words not used in
 * conversations; or without a name, if it is certainly a chore.
 */
export function sideCallOf(
  question: SideCallQuestion & { readonly systemId: string },
  known: ScopeRecord | undefined,
): SideCall | undefined {
  const isOther = known !== undefined && known.systemId !== question.systemId;
  if (question.tools.length > 0)
    return isOther && question.tools.length < known.toolCount ? { kind: "subagent" } : undefined;
  // From any client: a certain chore needs no tools and gets none.
  const removal = removalOf(question, known, isOther) ?? (isClientChore(question) ? "never" : undefined);
  return removal === undefined ? undefined : { kind: "aside", removal };
}

/** For a request without tools; undefined if it is not a side call. */
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
  if (question.bearsMark === true) return "never";
  if (question.sessionKey === undefined || !isFirst || words === undefined) return undefined;
  if (words === "system") return "when-apart";
  return isOther ? "sure" : undefined;
}

/** Whether and where a request is worded like known side calls. A person may say the same, so this alone decides nothing. */
function choreWords({ system, messages }: Transcript): "system" | "question" | undefined {
  const instructed = system.slice(0, READ_SYSTEM);
  if (choreSystems.some((pattern) => pattern.test(instructed))) return "system";
  const asked = messages.filter(({ role }) => role === "user");
  const isChore = [asked[0], asked.at(-1)].some((message) => {
    const opening = openingOf(message);
    return choreQuestions.some((pattern) => pattern.test(opening));
  });
  return isChore ? "question" : undefined;
}

function openingOf(message: TranscriptMessage | undefined): string {
  return message?.role === "user" ? spokenText(message.parts).slice(0, READ_QUESTION) : "";
}
