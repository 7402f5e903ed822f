import { CaretError, type EditorAnswer, type EditorOffer, type FollowedEditorRequest } from "@caret/protocol";
import { Doorbell } from "../async/doorbell.ts";
import type { ToolEditor } from "../tools/tool-editor.ts";
import { type AskedOfEditor, type OpenEditor, toToolEditor } from "./to-tool-editor.ts";

/** The editors that have sessions open. In memory: an editor that is still there opens its session again at the next gateway. */
export interface SessionEditors {
  /** Requests for an editor, until the signal. The editor counts from the call on. */
  follow(
    sessionId: string,
    options: { readonly offer: EditorOffer; readonly signal: AbortSignal },
  ): AsyncIterable<readonly FollowedEditorRequest[]>;
  /** Throws `not-found` when nobody waits for it. */
  answer(sessionId: string, requestId: string, answer: EditorAnswer): void;
  /** For the tools of the session's turns: the editor that opened the session last. */
  of(sessionId: string): ToolEditor;
}

interface FollowedEditor extends OpenEditor {
  /** By request. */
  readonly waiting: Map<string, PromiseWithResolvers<EditorAnswer>>;
}

export function createSessionEditors(newId: () => string): SessionEditors {
  /** Oldest first. */
  const editors = new Map<string, readonly FollowedEditor[]>();

  const leave = (sessionId: string, editor: FollowedEditor): void => {
    const others = (editors.get(sessionId) ?? []).filter((other) => other !== editor);
    if (others.length === 0) editors.delete(sessionId);
    else editors.set(sessionId, others);
    for (const { reject } of editor.waiting.values())
      reject(new CaretError("upstream-unreachable", "The editor was closed before it answered"));
    editor.waiting.clear();
  };

  return {
    follow(sessionId, { offer, signal }) {
      const requests = new RequestQueue();
      const waiting: FollowedEditor["waiting"] = new Map();
      const ask = (asked: AskedOfEditor): ReturnType<OpenEditor["ask"]> => {
        const requestId = newId();
        const answer = Promise.withResolvers<EditorAnswer>();
        answer.promise.catch(() => undefined); // the tool may have stopped waiting for it
        waiting.set(requestId, answer);
        requests.push({ ...asked, requestId });
        return { answer: answer.promise, withdraw: () => requests.push({ kind: "withdraw", requestId }) };
      };
      const editor: FollowedEditor = { offer, ask, waiting };
      editors.set(sessionId, [...(editors.get(sessionId) ?? []), editor]);
      const onAbort = (): void => {
        leave(sessionId, editor);
        requests.end();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      return requests.batches();
    },
    answer(sessionId, requestId, answer) {
      const editor = editors.get(sessionId)?.find(({ waiting }) => waiting.has(requestId));
      const waiting = editor?.waiting.get(requestId);
      if (waiting === undefined)
        throw new CaretError("not-found", `Nothing waits for an answer to the editor request ${requestId}`);
      editor?.waiting.delete(requestId);
      waiting.resolve(answer);
    },
    of: (sessionId) => toToolEditor(() => editors.get(sessionId)?.at(-1)),
  };
}

/** Requests on their way to one editor. */
class RequestQueue {
  readonly #bell = new Doorbell();
  readonly #queued: FollowedEditorRequest[] = [{ kind: "ready" }];
  #isOver = false;

  constructor() {
    this.#bell.ring();
  }

  push(request: FollowedEditorRequest): void {
    this.#queued.push(request);
    this.#bell.ring();
  }

  end(): void {
    this.#isOver = true;
    this.#bell.ring();
  }

  async *batches(): AsyncGenerator<readonly FollowedEditorRequest[], void, undefined> {
    for (;;) {
      await this.#bell.rung();
      if (this.#isOver) return;
      const batch = this.#queued.splice(0);
      if (batch.length > 0) yield batch;
    }
  }
}
