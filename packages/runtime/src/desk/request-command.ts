import { createHash } from "node:crypto";
import type { CommandKey } from "@caret/protocol";
import type { DeskCaller, DeskRequest } from "./turn-desk.ts";

/** What a request with an idempotency key is recorded as in the log. Keys of another token or door are other keys. */
export function requestCommand(request: DeskRequest, { tokenName }: DeskCaller): CommandKey | undefined {
  const { idempotencyKey, door = "" } = request;
  if (idempotencyKey === undefined) return undefined;
  return { name: digestOf([tokenName, door, idempotencyKey]), digest: digestOf(request) };
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}
