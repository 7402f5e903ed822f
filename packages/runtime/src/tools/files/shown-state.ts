import { createHash } from "node:crypto";
import { CaretError } from "@caret/protocol";
import type { ToolContext } from "../tool.ts";

/** Tells texts apart; an absent file is none of them. */
export function stateOfText(text: string | undefined): string {
  return text === undefined ? "absent" : createHash("sha256").update(text).digest("base64url");
}

/** What was approved was approved for the file that was shown. */
export function assertAsShown({ shownState }: Pick<ToolContext, "shownState">, state: string, path: string): void {
  if (shownState === undefined || shownState === state) return;
  throw new CaretError(
    "invalid-request",
    `${path} was changed by somebody else after the user had approved this. Nothing was done: read it and try again`,
  );
}
