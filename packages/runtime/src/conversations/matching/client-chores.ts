import type { TranscriptMessage } from "@caret/protocol";
import { spokenText } from "./chain.ts";
import type { Transcript } from "./transcript.ts";

/** The instruction comes first, quotes of the conversation after it. */
const READ_CHARACTERS = 1_500;

const TALK = "(?:conversation|chat|session|thread|dialog(?:ue)?|discussion)";
const NUMBER = "(?:\\d+|two|three|four|five|six|seven|eight|ten)";
/** Words that may not occur between a verb and the title it asks for, because they make it a program, a file, a list or a commit. */
const NOT_A_TITLE = `function|script|code|class|method|component|program|tests?|query|regex|field|column|file|page|endpoint|table|list|app|commit|branch|issue|pr|pull|release|in|into|from|to(?! ${NUMBER}\\b)|with|each|every|all|when|if|by|on|that|which`;
const VERB =
  "(?:generat|creat|writ|provid|suggest|produc|giv|extract|mak|return|summari[sz])(?:e|es|ing)?|come up with|reply with";

/** A sentence that begins by asking for a title. */
const asksForTitle = new RegExp(
  `(?:^|[.!?:,>\\n]\\s*)\\W{0,3}(?:(?:please|now|only|you (?:will|must)|your (?:\\w+ )?task is to)\\s+)*(?:${VERB})\\s+(?:(?!\\b(?:${NOT_A_TITLE})\\b)[^.\\n]){0,70}?\\b(?:title|name)\\b([^:"\\n]*)`,
  "i",
);
/** Or a title is what the model is there for. */
const isNamer =
  /\byou are (?:an? |the )[^.\n]{0,60}(?:\btitle generator\b|\b(?:(?:that|who) (?:generates|creates|writes|produces)|expert in)\b[^.\n]{0,60}\b(?:title|name)s?\b)/i;
const ofTalk = new RegExp(
  `\\b(?:${TALK}|task) (?:title|name)s?\\b|\\b(?:title|name)s?\\b[^\\n]{0,150}\\b${TALK}s?\\b|\\b${TALK}s?\\b[^\\n]{0,150}\\b(?:title|name)s?\\b`,
  "i",
);
/** Constraints that only a program needs: its length, and nothing else next to it. */
const isForProgram = new RegExp(
  `${NUMBER}[ -]*(?:or[ -]less|max)?[ -]*(?:words?|characters?|chars|tokens)\\b|\\bnothing else\\b|\\bno (?:other text|explanations?|quotes?|quotation|punctuation|preamble)\\b|\\b(?:only|just) (?:the|a|an|with)\\b|\\bonly (?:return|respond|output|reply)\\b|\\bsentence[ -]case\\b|\\btitle case\\b|\\bjson\\b|\\bpicker\\b`,
  "i",
);
/** A person's own task: naming many things, or writing the name somewhere. */
const isTask = /\b(?:each|every|all)\b(?! (?:the )?words?\b)|\b(?:to|into|in) [`"']?[\w/-]*\.\w{1,5}\b|\bfiles?\b/i;

/** How known clients begin requests for a summary, a topic, or another such chore. */
const knownOpenings: readonly RegExp[] = [
  /^\W*you are naming an? (?:\w+ )?(?:session|conversation|chat|thread)\b/im,
  /\byou are an? (?:\w+ ){0,3}that (?:generates|creates|writes|produces) (?:\w+ ){0,3}(?:session|conversation|chat|thread) titles?\b/i,
  /\bcontext checkpoint compaction\b/i,
  /\byou are an? (?:\w+ )?context summari[sz]ation (?:agent|assistant)\b/i,
  /\byour (?:\w+ )?task is to create an? (?:[\w-]+,? ){0,3}summary of (?:the|this|our) conversation\b/i,
  /\btasked with summari[sz]ing (?:the |this )?(?:conversation|session|chat)s?\b/i,
  /^\W*(?:please )?summari[sz]e this coding conversation\b/i,
  /^\W*briefly\W+summari[sz]e this partial conversation\b/i,
  /\bcomponent that summari[sz]es (?:the )?(?:internal )?chat history\b/i,
  /^\W*(?:create|update) (?:a new |the )?anchored summary\b/i,
  /^\W*generate a detailed summary of this conversation\W+include\b/i,
  /^\W*summari[sz]e the discussion briefly in \d+ words or less to use as a prompt\b/i,
  /^\W*summari[sz]e in an? \d+-word title\b/i,
  /\byou need to summari[sz]e the user's conversation into a title\b/i,
  /^\W*based on the conversation so far, provide a concise description of this session\b/i,
  /^\W*(?:provide|create|write) an? (?:\w+ )?prompt for continuing (?:this|the|our) conversation\b/i,
  /\banaly[sz]e if this message indicates a new conversation topic\b/i,
  /^\W*\[suggestion mode:/i,
  /^### Task:\n[\s\S]*(?:### (?:Chat History|Output|Guidelines):|<chat_history>)/i,
];

/**
 * Whether a request is certainly a chore, from any client: a title or a summary of a conversation, worded for a program. This is the only
 * way to recognise clients that send neither their own name nor the session's. If in doubt, a request is a person's turn.
 */
export function isClientChore({ system, messages }: Transcript): boolean {
  if (isChoreText(system.slice(0, READ_CHARACTERS))) return true;
  const asked = messages.filter(({ role }) => role === "user");
  const isFirst = !messages.some(({ role }) => role === "assistant");
  return [...(isFirst ? asked.slice(0, 1) : []), ...asked.slice(-1)].some((message) => isChoreText(openingOf(message)));
}

function isChoreText(text: string): boolean {
  if (knownOpenings.some((opening) => opening.test(text))) return true;
  const asked = asksForTitle.exec(text);
  if (asked === null && !isNamer.test(text)) return false;
  return ofTalk.test(text) && isForProgram.test(text) && !isTask.test(asked?.[1] ?? "");
}

function openingOf(message: TranscriptMessage): string {
  return message.role === "user" ? spokenText(message.parts).slice(0, READ_CHARACTERS) : "";
}
