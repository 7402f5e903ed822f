import { trimEndOf } from "@caret/protocol";
import { fingerprint } from "../../calls/fingerprint.ts";
import { stableSystem } from "../../turns/client-notes/client-notes.ts";
import { type HeardMessage, heardMessages, notesIn } from "./chain.ts";
import { type SaidRound, saidRounds } from "./said-rounds.ts";
import type { SideCallQuestion } from "./side-call.ts";
import type { Transcript } from "./transcript.ts";

const PATH = String.raw`((?:\/|~\/|[A-Za-z]:[\\/])[^\n\r"'<>|*?]{0,500})`;

/** How clients tell the model their working directory. */
const tells: readonly RegExp[] = [
  new RegExp(String.raw`<cwd>\s*${PATH}<\/cwd>`, "i"),
  /\bworking directory \(((?:\/|[A-Za-z]:[\\/])[^)\n]{0,500})\)/i,
  new RegExp(String.raw`\bworking directory(?: is)?:?[ \t]*["'${"`"}]?${PATH}`, "i"),
  new RegExp(String.raw`\bworking in the directory:?[ \t]*["'${"`"}]?${PATH}`, "i"),
  new RegExp(
    String.raw`\b(?:current directory|workspace root(?: folder)?|project (?:root|directory)|cwd):[ \t]*["'${"`"}]?${PATH}`,
    "i",
  ),
  new RegExp(String.raw`^%[ \t]*pwd\n${PATH}`, "im"),
  /\brepo=((?:\/|[A-Za-z]:[\\/])[^\s|]{0,500})/,
];

/** Clients state it at the beginning, if at all. */
const READ_MESSAGES = 4;

const READ_CHARACTERS = 200_000;

export interface TranscriptQuestion extends SideCallQuestion {
  /** Who asks and where to work: requests that differ in any of this never share a session. */
  readonly place: readonly string[];
  /** Who runs the conversation's tools. Sessions of different owners work in different directories. */
  readonly owner: string;
  /** The client's own name for the conversation. Without one, its system prompt and first question identify it. */
  readonly sessionKey: string | undefined;
  /** The conversation recorded with an answer that the client refers to instead of sending it. */
  readonly conversation?: string | undefined;
  /** What else the answer depends on: the model, sampling. Only equal requests share a turn. */
  readonly variant: readonly string[];
  /** The system prompt is part of the prompt; otherwise it is in a file written before every turn. */
  readonly sendsSystem: boolean;
}

/** A parsed request: everything about it that does not depend on the index. */
export interface ReadQuestion extends TranscriptQuestion {
  /** Identifies the conversations it can belong to; requests of one scope are decided one at a time. */
  readonly scope: string;
  /** A digest of its system prompt, without the parts that change between requests. */
  readonly systemId: string;
  readonly heard: readonly HeardMessage[];
  /** The assistant's words between them. */
  readonly rounds: readonly SaidRound[];
  /** A digest of its instructions and tools. */
  readonly shape: string;
  /** A digest of everything the answer depends on, except the words of user and tool messages. */
  readonly request: string;
}

/** Parses a request once, however often it is then compared with the index. */
export function readQuestion(question: TranscriptQuestion): ReadQuestion {
  const heard = heardMessages(question.messages);
  const stable = stableSystem(question.system);
  const named = namedConversation(question);
  const systemId = named?.systemId ?? fingerprint([stable]);
  const names = question.tools.map(({ namespace = "", name }) => fingerprint([namespace, name]));
  const shape = fingerprint([systemId, ...names.toSorted()]);
  const scope = named?.scope ?? scopeOf(question, stable, heard);
  const rounds = saidRounds(question.messages, heard);
  return { ...question, heard, rounds, systemId, scope, shape, request: requestOf(question, shape) };
}

/** A name identifies the conversation. Without one, its instructions, directory and first question must do. */
function scopeOf(question: TranscriptQuestion, stable: string, heard: readonly HeardMessage[]): string {
  const { place, sessionKey } = question;
  if (sessionKey !== undefined) return fingerprint(["key", ...place, sessionKey]);
  const asked = heard.find(({ role }) => role === "user")?.digest ?? "";
  return fingerprint(["question", ...place, clientProject(question) ?? "", stable, asked]);
}

/**
 * A conversation as digests, for a client that will refer to one of its answers. By then its words may be stored without secrets, and
 * instructions vary between requests: neither makes it another conversation.
 */
export function conversationOf({ scope, systemId, place }: ReadQuestion): string {
  return [scope, systemId, fingerprint(place)].join(".");
}

/** Undefined if the client refers to no answer, or wants to continue from it elsewhere. */
function namedConversation({ conversation, place }: TranscriptQuestion) {
  const [scope, systemId, at] = conversation?.split(".") ?? [];
  return scope === undefined || systemId === undefined || at !== fingerprint(place) ? undefined : { scope, systemId };
}

function requestOf({ variant, system, messages }: TranscriptQuestion, shape: string): string {
  const rest = messages.flatMap((message) =>
    message.role === "assistant" ? ["assistant", message.text] : ["notes", ...notesIn(message)],
  );
  return fingerprint([...variant, shape, system, ...rest]);
}

/**
 * The directory that the client says it works in, on its own machine. For display and comparison only: it may be a path of another
 * machine, or anything a client chose to write.
 */
export function clientProject({ system, messages }: Transcript): string | undefined {
  const first = messages.slice(0, READ_MESSAGES).flatMap((message) => {
    if (message.role !== "user") return [];
    return message.parts.flatMap((part) => (part.kind === "text" ? [part.text.slice(0, READ_CHARACTERS)] : []));
  });
  for (const text of [system.slice(0, READ_CHARACTERS), ...first])
    for (const pattern of tells) {
      const path = toPath(pattern.exec(text)?.[1]);
      if (path !== undefined) return path;
    }
  return undefined;
}

function toPath(stated: string | undefined): string | undefined {
  const path = stated === undefined ? undefined : trimEndOf(stated, /[\s`).,;]/);
  return path === undefined || path === "" || path === "~/" ? undefined : path;
}
