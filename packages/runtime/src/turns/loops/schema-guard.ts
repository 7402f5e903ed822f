import { CaretError } from "@caret/protocol";
import { type LoopVerdict, loopNotice } from "./loop-verdict.ts";

/**
 * Counts calls that a schema refused, by tool and complaint, whatever their arguments were. Such a call never ran, so
 * every step is taken on the refusal itself: at `limit` the model is warned, at the next the reason is replaced by an
 * order to stop, at the one after that the turn ends. A call of the tool that its schema accepts clears its counts.
 */
export interface SchemaRefusals {
  refused(tool: string, signature: string): LoopVerdict;
  accepted(tool: string): void;
}

export function createSchemaRefusals(limit: number): SchemaRefusals {
  const byTool = new Map<string, Map<string, number>>();
  return {
    refused(tool, signature) {
      const counts = byTool.get(tool) ?? new Map<string, number>();
      const count = (counts.get(signature) ?? 0) + 1;
      byTool.set(tool, counts.set(signature, count));
      return toVerdict(tool, count, count - limit);
    },
    accepted(tool) {
      byTool.delete(tool);
    },
  };
}

function toVerdict(tool: string, repeats: number, over: number): LoopVerdict {
  if (over < 0) return { kind: "proceed" };
  const said = `${repeats} calls of ${tool} were refused for the same fault in their arguments`;
  if (over === 0) {
    const text = `Caution: ${said}. Read the tool's schema and correct exactly what the complaint names.`;
    return { kind: "warn", text, notice: loopNotice(said, { tool, repeats }) };
  }
  if (over === 1) {
    const text = `Stop calling ${tool} like this: ${said}. Use another tool, or say what you need. One more such call ends the turn.`;
    return { kind: "block", text, notice: loopNotice(said, { tool, repeats }) };
  }
  return { kind: "end", error: new CaretError("loop-stopped", said) };
}
