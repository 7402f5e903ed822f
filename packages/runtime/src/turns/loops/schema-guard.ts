import { CaretError } from "@caret/protocol";
import { type LoopVerdict, loopNotice } from "./loop-verdict.ts";

/** Consecutive refusals with any complaints that are allowed, as a multiple of the limit for one complaint. */
const ANY_COMPLAINTS = 5;

/**
 * Counts calls that were refused before they ran, because a schema refused their arguments or the tool is unknown: per tool and complaint,
 * whatever the arguments, and in a row over all tools and complaints. Such a call never ran, so every step is taken on the refusal itself:
 * at the limit the model is warned, at the next the reason is replaced by an order to stop, at the one after that the turn ends. An
 * accepted call clears the counts of its tool and the row.
 */
export interface SchemaRefusals {
  refused(tool: string, signature: string): LoopVerdict;
  accepted(tool: string): void;
}

export function createSchemaRefusals(limit: number): SchemaRefusals {
  const byTool = new Map<string, Map<string, number>>();
  let inRow = 0;
  return {
    refused(tool, signature) {
      const counts = byTool.get(tool) ?? new Map<string, number>();
      const count = (counts.get(signature) ?? 0) + 1;
      byTool.set(tool, counts.set(signature, count));
      inRow += 1;
      const same = `${count} calls of ${tool} were refused for the same fault`;
      const all = `${inRow} calls in a row were refused, the last of them of ${tool}`;
      const verdict = toVerdict({ said: same, tool, repeats: count }, count - limit);
      const ofAll = toVerdict({ said: all, tool, repeats: inRow }, inRow - limit * ANY_COMPLAINTS);
      return severity[ofAll.kind] > severity[verdict.kind] ? ofAll : verdict;
    },
    accepted(tool) {
      byTool.delete(tool);
      inRow = 0;
    },
  };
}

const severity: Readonly<Record<LoopVerdict["kind"], number>> = { proceed: 0, warn: 1, block: 2, end: 3 };

interface Refusals {
  readonly said: string;
  readonly tool: string;
  readonly repeats: number;
}

function toVerdict({ said, tool, repeats }: Refusals, over: number): LoopVerdict {
  if (over < 0) return { kind: "proceed" };
  if (over === 0) {
    const text = `Caution: ${said}. Call only tools that you are offered, and correct exactly what the complaint names.`;
    return { kind: "warn", text, notice: loopNotice(said, { tool, repeats }) };
  }
  if (over === 1) {
    const text = `Stop calling ${tool} like this: ${said}. Use another tool, or say what you need. One more such call ends the turn.`;
    return { kind: "block", text, notice: loopNotice(said, { tool, repeats }) };
  }
  return { kind: "end", error: new CaretError("loop-stopped", said) };
}
