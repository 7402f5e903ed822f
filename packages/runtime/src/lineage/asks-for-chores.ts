import { spokenText } from "./chain.ts";
import type { Transcript, TranscriptMessage } from "./transcript.ts";

/** How clients instruct a model that is to name or sum up a conversation instead of taking part in it. */
const choreSystems: readonly RegExp[] = [
  /\btitle generator\b/i,
  /\bnaming (?:an? |the |this )?(?:\w+ )?(?:session|conversation|chat|thread)\b/i,
  /\b(?:generat|creat|writ|suggest|produc)(?:es?|ing)\b[^.\n]{0,60}\b(?:session|conversation|chat|thread) (?:title|name)s?\b/i,
  /\b(?:generat|creat|writ|suggest|produc)(?:es?|ing)\b[^.\n]{0,60}\b(?:title|name)s? (?:\([^)\n]*\) )?(?:for|of|that)\b[^.\n]{0,60}\b(?:session|conversation|chat|thread)s?\b/i,
  /\b(?:context|conversation|session) summari[sz](?:ation|ing|er)\b/i,
  /\btasked with summari[sz]ing (?:the |this )?(?:conversation|session|chat)s?\b/i,
  /\b(?:indicates|is|starts) a new (?:conversation )?topic\b/i,
];

/** Only what a system prompt begins with says what the model is; the rest of a long one may be about anything. */
const READ_SYSTEM = 600;

/** The same in the user's own place, where it must stand first and be about a conversation: people ask for titles too. */
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

/**
 * Whether a request speaks as those do that clients have answered beside the conversation itself, and where it says so. A
 * person may well say the same, so this alone decides nothing.
 */
export function choreWords({ system, messages }: Transcript): "system" | "question" | undefined {
  const instructed = system.slice(0, READ_SYSTEM);
  if (choreSystems.some((pattern) => pattern.test(instructed))) return "system";
  const asked = messages.filter(({ role }) => role === "user");
  const isChore = [asked[0], asked.at(-1)].some((message) =>
    choreQuestions.some((pattern) => pattern.test(openingOf(message))),
  );
  return isChore ? "question" : undefined;
}

function openingOf(message: TranscriptMessage | undefined): string {
  return message?.role === "user" ? spokenText(message.parts).slice(0, READ_QUESTION) : "";
}
