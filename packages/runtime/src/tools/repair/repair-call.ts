import { type AgentEventOf, CaretError, isJsonObject, type JsonObject } from "@caret/protocol";
import { toolGroup } from "../../calls/tool-aliases.ts";
import type { OutcomeClass } from "../../calls/tool-call.ts";
import { createInputValidators } from "../input-validator.ts";
import { isBookkeeping, meansTheSame } from "./field-aliases.ts";
import { type RepairedInput, repairInput } from "./repair-input.ts";
import { type OfferedTool, onlyToolOf, type ResolvedTool, resolveTool } from "./resolve-tool.ts";

/** Placeholders for "the rest stays": such content is a sketch, not a file. */
const ELISION =
  /(\.\.\.|…)\s*(?:\(\s*)?(existing|rest|remaining|unchanged|other|same|keep)\b|\b(existing|unchanged) code\b/i;

/** Number of refusals of the same tool with the same complaints at which repair gives up. */
const FALLBACK_AT = 3;

interface StreamedCall {
  readonly name: string;
  readonly input: unknown;
}

export interface RepairOptions {
  /** `legacy` passes every call on unchanged, whatever its name. */
  readonly version: "v1" | "legacy";
  readonly tools: readonly OfferedTool[];
  /** Pass a tool's calls on unchanged if they keep being refused. */
  readonly autoFallback: boolean;
}

export type Admission =
  | {
      readonly kind: "forward";
      readonly name: string;
      readonly input: unknown;
      /** Changes made to render the call valid. Empty if it is passed on unchanged. */
      readonly repairs: readonly string[];
      /** Set on the call at which repair gave up on a tool. */
      readonly notice?: AgentEventOf<"notice">;
    }
  | {
      readonly kind: "refuse";
      /** The intended tool; if there is none, the name as called. */
      readonly name: string;
      /** For the model: what is wrong, and what to do instead. */
      readonly reason: string;
      readonly class: OutcomeClass;
    };

/**
 * Turns a tool call from a stream into a call of an offered tool, or refuses it. One per turn.
 *
 * `v1` finds the tool behind the name, repairs arguments where the offered schema leaves only one reading, and forwards nothing the schema
 * rejects. Its one fallback, with `autoFallback`: a third refusal of a tool with the same complaints, without an accepted call in between,
 * means that its schema and the agent do not agree. That call and the tool's later ones are passed on unchanged, and a notice says so. All
 * other tools, and unknown names, are treated as before.
 */
interface CallRepair {
  admit(call: StreamedCall): Admission;
}

export function createCallRepair({ version, tools, autoFallback }: RepairOptions): CallRepair {
  if (version === "legacy") return { admit: ({ name, input }) => ({ kind: "forward", name, input, repairs: [] }) };
  const repair = createRepair();
  const refusals = new Map<string, Map<string, number>>();
  const givenUp = new Set<string>();

  const refuseInvalid = (found: FoundTool, input: unknown, complaints: readonly string[]): Admission => {
    const { tool, repairs } = found;
    const reason = `Invalid arguments for ${tool.name}: ${complaints.join("; ")}`;
    const counts = refusals.get(tool.name) ?? new Map<string, number>();
    const count = (counts.get(reason) ?? 0) + 1;
    refusals.set(tool.name, counts.set(reason, count));
    if (!autoFallback || count < FALLBACK_AT) return { kind: "refuse", name: tool.name, reason, class: "validation" };
    givenUp.add(tool.name);
    return { kind: "forward", name: tool.name, input, repairs, notice: fallbackNotice(tool.name, complaints) };
  };

  return {
    admit({ name, input }) {
      const found = resolveTool(name, tools);
      if (found.kind === "missing")
        return (
          rerouteEdit({ name, input }, tools, repair) ?? {
            kind: "refuse",
            name,
            reason: found.reason,
            class: "not_found",
          }
        );
      const { tool, repairs } = found;
      if (givenUp.has(tool.name)) return { kind: "forward", name: tool.name, input, repairs };
      const repaired = repair(tool, input);
      if (repaired.kind === "invalid")
        return rerouteEdit({ name, input }, tools, repair) ?? refuseInvalid(found, input, repaired.complaints);
      refusals.delete(tool.name);
      return { kind: "forward", name: tool.name, input: repaired.input, repairs: [...repairs, ...repaired.repairs] };
    },
  };
}

type FoundTool = Extract<ResolvedTool, { readonly kind: "found" }>;
type Repair = (tool: OfferedTool, input: unknown) => RepairedInput;

function createRepair(): Repair {
  const validatorOf = createInputValidators();
  return ({ inputSchema }, input) => {
    try {
      return repairInput(input, inputSchema, validatorOf(inputSchema));
    } catch (reason) {
      // An unusable schema is the client's error: the model gets it as the result and the turn continues.
      return { kind: "invalid", complaints: [CaretError.from(reason).message] };
    }
  };
}

/** Converts an invalid edit, or one without a matching tool, that is really a write. */
function rerouteEdit(
  { name, input }: StreamedCall,
  tools: readonly OfferedTool[],
  repair: Repair,
): Admission | undefined {
  const write = toolGroup(name) === "edit" ? editAsWrite(input) : undefined;
  const tool = write === undefined ? undefined : onlyToolOf("write", tools);
  if (tool === undefined) return undefined;
  const repaired = repair(tool, write);
  if (repaired.kind === "invalid") return undefined;
  const rerouted = `an edit with the whole new content was taken for \`${tool.name}\``;
  return { kind: "forward", name: tool.name, input: repaired.input, repairs: [rerouted, ...repaired.repairs] };
}

function fallbackNotice(tool: string, complaints: readonly string[]): AgentEventOf<"notice"> {
  return {
    type: "notice",
    kind: "drift",
    message: `Calls of ${tool} were refused ${FALLBACK_AT - 1} times for the same reason: they are now passed on unchanged`,
    detail: { tool, complaints },
  };
}

/**
 * Returns the write that an edit really is: a path, the whole new content in a field that says so, and no old text. A new text
 * (`new_string`) is part of a file, never its content. Any other argument might change the meaning, so then no write is made: a wrong one
 * destroys the file.
 */
function editAsWrite(input: unknown): JsonObject | undefined {
  if (!isJsonObject(input)) return undefined;
  const paths = Object.keys(input).filter((key) => meansTheSame(key, "file_path"));
  const contents = Object.keys(input).filter((key) => meansTheSame(key, "content"));
  const rest = Object.keys(input).filter((key) => ![...paths, ...contents].includes(key) && !isSilent(key, input[key]));
  const [path, content] = [paths[0] ?? "", contents[0] ?? ""];
  if (paths.length !== 1 || contents.length !== 1 || rest.length > 0) return undefined;
  const [file, text] = [input[path], input[content]];
  if (typeof file !== "string" || file === "" || typeof text !== "string" || ELISION.test(text)) return undefined;
  return { path: file, content: text };
}

function isSilent(key: string, value: unknown): boolean {
  return value === "" || value === null || value === undefined || value === false || isBookkeeping(key);
}
