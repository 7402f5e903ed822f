import { type HeardMessage, heardMessages, notesIn } from "./chain.ts";
import { stableSystem } from "./client-notes.ts";
import { clientProject } from "./client-project.ts";
import { fingerprint } from "./fingerprint.ts";
import type { SideCallQuestion } from "./side-call.ts";

export interface LineageQuestion extends SideCallQuestion {
  /** Who asks, and where it is to work: those who differ in any of it never share a session. */
  readonly place: readonly string[];
  /** Who runs the tools of the conversation. Sessions of different owners work in different directories. */
  readonly owner: string;
  /** The client's own name for the conversation. Without one it is known by its system prompt and first question. */
  readonly sessionKey: string | undefined;
  /** What the answer depends on besides the transcript: the model, sampling. Only equal requests share a turn. */
  readonly variant: readonly string[];
  /** The system prompt is told in the prompt; otherwise it lies in a file that is written before every turn. */
  readonly tellsSystem: boolean;
}

/** A request that was looked at: everything about it that does not depend on what is known. */
export interface ReadQuestion extends LineageQuestion {
  /** Which conversations it can belong to: one request of them is decided about at a time. */
  readonly scope: string;
  /** A digest of its system prompt, without what changes from request to request. */
  readonly systemId: string;
  readonly heard: readonly HeardMessage[];
  /** A digest of its instructions and tools. */
  readonly shape: string;
  /** A digest of everything that the answer depends on, besides what the messages of user and tools say. */
  readonly request: string;
}

/** Look at a request once, however often it is then compared with what is known. */
export function readQuestion(question: LineageQuestion): ReadQuestion {
  const heard = heardMessages(question.messages);
  const stable = stableSystem(question.system);
  const systemId = fingerprint([stable]);
  const names = question.tools.map(({ namespace = "", name }) => fingerprint([namespace, name]));
  const shape = fingerprint([systemId, ...names.toSorted()]);
  const scope = scopeOf(question, stable, heard);
  return { ...question, heard, systemId, scope, shape, request: requestOf(question, shape) };
}

/** A name is the conversation. Without one its instructions, its directory and its first question have to do. */
function scopeOf(question: LineageQuestion, stable: string, heard: readonly HeardMessage[]): string {
  const { place, sessionKey } = question;
  if (sessionKey !== undefined) return fingerprint(["key", ...place, sessionKey]);
  const asked = heard.find(({ words: [role] }) => role === "user")?.words ?? [];
  return fingerprint(["question", ...place, clientProject(question) ?? "", stable, ...asked]);
}

function requestOf({ variant, system, messages }: LineageQuestion, shape: string): string {
  const rest = messages.flatMap((message) =>
    message.role === "assistant" ? ["assistant", message.text] : ["notes", ...notesIn(message)],
  );
  return fingerprint([...variant, shape, system, ...rest]);
}
