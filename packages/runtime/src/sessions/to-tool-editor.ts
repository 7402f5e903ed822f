import { CaretError, type EditorAnswer, type EditorOffer, type EditorRequest } from "@caret/protocol";
import { untilAborted } from "../async/until-aborted.ts";
import { within } from "../async/within.ts";
import type { EditorRun, ToolEditor } from "../tools/tool-editor.ts";

/** What a command may take to end in an editor's terminal. */
const GRACE_MS = 5_000;

/** A request before it has its id. */
export type AskedOfEditor = WithoutId<EditorRequest>;
type WithoutId<Request> = Request extends unknown ? Omit<Request, "requestId"> : never;

export interface OpenEditor {
  readonly offer: EditorOffer;
  /** `withdraw` tells the editor that the answer is not needed any more; it answers nevertheless. */
  ask(asked: AskedOfEditor): { readonly answer: Promise<EditorAnswer>; readonly withdraw: () => void };
}

/** An editor as tools see it. `current` gives the one that there is now. */
export function toToolEditor(current: () => OpenEditor | undefined): ToolEditor {
  /** A caller that stops waiting cancels the request at the editor. */
  const askUntil = async (editor: OpenEditor, asked: AskedOfEditor, signal: AbortSignal): Promise<EditorAnswer> => {
    const { answer, withdraw } = editor.ask(asked);
    try {
      return await untilAborted(answer, signal);
    } catch (reason) {
      if (signal.aborted) withdraw();
      throw reason;
    }
  };

  return {
    async readText(path, signal) {
      const editor = current();
      if (editor?.offer.reads !== true) return undefined;
      const { failed, missing, text } = await askUntil(editor, { kind: "read", path }, signal);
      if (missing === true) return undefined;
      return failed === undefined && text !== undefined ? { text } : { failed: failed ?? "It gave no text" };
    },
    async writeText(path, text, signal) {
      const editor = current();
      if (editor?.offer.writes !== true) return false;
      const { failed } = await askUntil(editor, { kind: "write", path, text }, signal);
      if (failed !== undefined) throw refused("write the file", failed);
      return true;
    },
    async run(command, signal) {
      const editor = current();
      if (editor?.offer.terminals !== true) return undefined;
      const { answer, withdraw } = editor.ask({ kind: "run", ...command });
      try {
        return toRun(await untilAborted(answer, signal));
      } catch (reason) {
        if (!signal.aborted) throw reason;
        withdraw();
        if (await within(Promise.allSettled([answer]), GRACE_MS)) return toRun(await answer);
        throw new CaretError("killed", "The editor did not say that it has ended the command", { cause: reason });
      }
    },
  };
}

function toRun({ failed, text = "", cut = false, exitCode, signal }: EditorAnswer): EditorRun {
  if (failed !== undefined) throw refused("run the command", failed);
  return { text, isCut: cut, exitCode, signal };
}

function refused(what: string, why: string): CaretError {
  return new CaretError("upstream-error", `The editor did not ${what}`, {
    upstream: why,
    fix: "See what the editor says, or close the session there: the gateway then uses the disk and its own processes.",
  });
}
