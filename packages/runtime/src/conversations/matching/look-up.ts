import { chainsOf } from "./classify-transcript.ts";
import type { LineageStore, LineageView } from "./lineage-store.ts";
import type { ReadQuestion } from "./read-question.ts";
import { firstMark, marksToFind } from "./shown-marks.ts";

/** Reads everything that `classifyTranscript` needs: one lookup, or two if a client that has shown tools may now show none. */
export async function lookUp(question: ReadQuestion, store: Pick<LineageStore, "look">): Promise<LineageView> {
  const { scope } = question;
  const mark = firstMark(question);
  const scopes = mark === undefined ? [scope] : [scope, mark];
  const view = await store.look({ scope, scopes, chains: () => possibleChains(question) });
  const marks = marksToFind(question, view);
  if (marks.length === 0) return view;
  const marked = await store.look({ scope, scopes: marks, chains: () => [] });
  return { get: view.get, getScope: (asked) => view.getScope(asked) ?? marked.getScope(asked) };
}

/** Whether it is a side call depends on index entries that are not read yet, so try both. */
function possibleChains(question: ReadQuestion): readonly (readonly string[])[] {
  const side = question.tools.length > 0 ? "subagent" : "aside";
  return [undefined, side].flatMap((kind) => {
    const { plain, asSaid } = chainsOf(question, kind as "subagent" | "aside" | undefined);
    const chains = question.rounds.length === 0 ? [plain] : [plain, asSaid];
    return chains.map((chain) => chain.map(({ hash }) => hash));
  });
}
