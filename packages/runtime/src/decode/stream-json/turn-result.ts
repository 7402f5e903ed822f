import { CaretError, type JsonObject, type TurnOutcome } from "@caret/protocol";
import { onWholeText } from "../assistant-text.ts";
import { readErrorText, textField } from "../read-fields.ts";
import { readResultUsage } from "../read-usage.ts";
import { endTurn } from "../turn-draft.ts";
import type { StreamJsonDraft } from "./stream-json-dialect.ts";

/**
 * An upstream error sent as the assistant's own words, after which the CLI ends normally. The words are shown; they count as an error only
 * if a call was left unfinished, and only in the CLI's exact wording.
 */
const inlineError = /^(?:Error: )?(?:T|RetriableError|ConnectError): \[[a-z_]+\][^\n]*$/;

export function onResult(draft: StreamJsonDraft, event: JsonObject): void {
  const text = textField(event, "result") ?? "";
  const error = resultError(event);
  if (error === undefined) onWholeText(draft, text);
  const outcome = error === undefined ? completedOutcome(draft) : failedOutcome(error);
  const { lastError, stepUsage } = draft.memory;
  if (lastError !== undefined && outcome.kind === "completed")
    draft.events.push({ type: "notice", kind: "error", message: lastError });
  endTurn(draft, outcome, readResultUsage(event) ?? stepUsage);
}

/** The failure's message; undefined for a success. Any of three fields can indicate a failure. */
function resultError(event: JsonObject): string | undefined {
  const errorText = readErrorText(event["error"]);
  const failed = event["is_error"] === true || event["subtype"] === "error" || errorText !== undefined;
  if (!failed) return undefined;
  return (
    errorText ?? readErrorText(event["result"]) ?? readErrorText(event["message"]) ?? "The agent reported an error"
  );
}

function completedOutcome(draft: StreamJsonDraft): TurnOutcome {
  const last = (draft.shown.segment || draft.lastSegment).trim();
  if (draft.openCalls.size > 0 && inlineError.test(last)) return failedOutcome(last);
  return { kind: "completed" };
}

function failedOutcome(message: string): TurnOutcome {
  return { kind: "failed", error: new CaretError("upstream-error", message).toInfo() };
}
