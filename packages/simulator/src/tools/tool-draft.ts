import type { HookStep } from "../policy/hook-config.ts";
import type { Action } from "../policy/permission-rule.ts";
import type { PreparedCall, ToolArgs, ToolContext, ToolOutcome } from "./tool-run.ts";

export type WireResult = ToolOutcome["result"];

/** Why a call does not happen. */
export type Refusal =
  | { readonly kind: "hook"; readonly message: string }
  | { readonly kind: "not-approved" }
  | { readonly kind: "denied"; readonly by: string; readonly isReadonly: boolean };

/** A hook step that belongs to one tool only, with its own fields. */
export interface OwnHook {
  readonly step: HookStep;
  readonly payload: () => Readonly<Record<string, unknown>>;
}

/** What one tool knows about a call: `prepareCall` asks hooks and permissions, then works or refuses. */
export interface ToolDraft extends Omit<PreparedCall, "run"> {
  /** The name and input that hooks see. */
  readonly hook: { readonly toolName: string; readonly input: ToolArgs };
  readonly before?: readonly OwnHook[];
  readonly after?: (outcome: ToolOutcome) => readonly OwnHook[];
  /** Everything it would do; one refusal refuses all. */
  readonly actions: readonly Action[];
  readonly refuse: (refusal: Refusal) => WireResult;
  /** The arm for a failure nobody foresaw. */
  readonly fail: (message: string) => WireResult;
  readonly work: (signal: AbortSignal) => Promise<ToolOutcome> | ToolOutcome;
}

export type DraftTool = (args: ToolArgs, context: ToolContext) => ToolDraft;

/** The words for a refusal where the wire has a place for them; an unapproved call usually gets none. */
export function refusalText(refusal: Refusal): string {
  switch (refusal.kind) {
    case "hook":
      return refusal.message;
    case "denied":
      return `Denied by ${refusal.by}`;
    case "not-approved":
      return "";
  }
}
