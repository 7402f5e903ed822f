import { trimEndOf } from "@caret/protocol";
import { fingerprint } from "../../calls/fingerprint.ts";
import { stableSystem } from "../../turns/client-notes/client-notes.ts";
import { type HeardMessage, heardMessages, notesIn } from "./chain.ts";
import { type SaidRound, saidRounds } from "./said-rounds.ts";
import type { SideCallQuestion } from "./side-call.ts";
import type { Transcript } from "./transcript.ts";

const PATH = String.raw`((?:\/|~\/|[A-Za-z]:[\\/])[^\n\r"'<>|*?]{0,500})`;

/** How clients tell the model which directory they work in. */
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

/** Clients tell it at the beginning, if at all. */
const READ_MESSAGES = 4;

const READ_CHARACTERS = 200_000;

export interface TranscriptQuestion extends SideCallQuestion {
  /** Who asks, and where it is to work: those who differ in any of it never share a session. */
  readonly place: readonly string[];
  /** Who runs the tools of the conversation. Sessions of different owners work in different directories. */
  readonly owner: string;
  /** The client's own name for the conversation. Without one it is known by its system prompt and first question. */
  readonly sessionKey: string | undefined;
  /** What an answer that the client names instead of sending it was given as its conversation. */
  readonly conversation?: string | undefined;
  /** What the answer depends on besides the transcript: the model, sampling. Only equal requests share a turn. */
  readonly variant: readonly string[];
  /** The system prompt is part of the prompt; otherwise it lies in a file that is written before every turn. */
  readonly sendsSystem: boolean;
}

/** A request that was looked at: everything about it that does not depend on what is known. */
export interface ReadQuestion extends TranscriptQuestion {
  /** Which conversations it can belong to: one request of them is decided about at a time. */
  readonly scope: string;
  /** A digest of its system prompt, without what changes from request to request. */
  readonly systemId: string;
  readonly heard: readonly HeardMessage[];
  /** What the assistant says between them. */
  readonly rounds: readonly SaidRound[];
  /** A digest of its instructions and tools. */
  readonly shape: string;
  /** A digest of everything that the answer depends on, besides what the messages of user and tools say. */
  readonly request: string;
}

/** Look at a request once, however often it is then compared with what is known. */
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

/** A name is the conversation. Without one its instructions, its directory and its first question have to do. */
function scopeOf(question: TranscriptQuestion, stable: string, heard: readonly HeardMessage[]): string {
  const { place, sessionKey } = question;
  if (sessionKey !== undefined) return fingerprint(["key", ...place, sessionKey]);
  const asked = heard.find(({ role }) => role === "user")?.digest ?? "";
  return fingerprint(["question", ...place, clientProject(question) ?? "", stable, asked]);
}

/**
 * A conversation in digests, for a client that will name one of its answers. What it said may be kept without its secrets
 * by then, and instructions change from request to request: neither makes another conversation of it.
 */
export function conversationOf({ scope, systemId, place }: ReadQuestion): string {
  return [scope, systemId, fingerprint(place)].join(".");
}

/** Undefined when the client names no answer, or wants to go on with it elsewhere. */
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
 * The directory on the client's machine that the client says it works in. It is only to be shown and compared: it may be a
 * path of another machine, or anything that a client chose to write.
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
