import type { Transcript, TranscriptMessage } from "./transcript.ts";

/** How clients instruct a model that is to name or sum up a conversation instead of taking part in it. */
const choreSystems: readonly RegExp[] = [
  /\btitle generator\b/i,
  /\byou (?:generate|create|write|come up with) (?:an? )?(?:\w+,? ){0,4}titles?\b/i,
  /\b(?:generate|create|write|suggest|provide) an? (?:\w+,? ){0,4}title (?:for|of|that)\b/i,
  /\btasked with summari[sz]ing conversations?\b/i,
  /\b(?:indicates|is) a new conversation topic\b/i,
];

/** The same in the user's own place. Only at its beginning and only about a conversation: people ask for titles too. */
const choreQuestions: readonly RegExp[] = [
  /^\W*(?:please )?(?:generate|create|write|suggest|provide) an? (?:\w+,? ){0,4}title (?:for|of) (?:this|the|our|the following) (?:conversation|chat|thread|session)\b/i,
  // What our own page asks when somebody tries a connection out.
  /^This is a test of the connection\. Answer with the single word: ready$/,
  /^\W*(?:please )?summari[sz]e (?:this|the|our|the following) (?:conversation|chat|thread|session)\b/i,
];

const READ_CHARACTERS = 2_000;

/** Whether a request without tools is one of the chores that clients have done beside the conversation itself. */
export function asksForChores({ system, tools, messages }: Transcript): boolean {
  if (tools.length > 0) return false;
  const instructed = system.slice(0, READ_CHARACTERS);
  if (choreSystems.some((pattern) => pattern.test(instructed))) return true;
  const asked = messages.filter(({ role }) => role === "user");
  return [asked[0], asked.at(-1)].some((message) => choreQuestions.some((pattern) => pattern.test(openingOf(message))));
}

function openingOf(message: TranscriptMessage | undefined): string {
  const part = message?.role === "user" ? message.parts.find(({ kind }) => kind === "text") : undefined;
  return part?.kind === "text" ? part.text.slice(0, READ_CHARACTERS) : "";
}
