import { type SaidKind, saidKinds } from "@caret/protocol";
import type { Row } from "./row.ts";

/** Minimum of new events in a running turn that justify an index transaction. */
export const GOOD_DEAL = 500;

/** Position of a found piece. */
export interface FoundPiece {
  readonly id: number;
  readonly sessionId: string;
  readonly turnId: string;
  readonly kind: SaidKind;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly at: number;
}

export interface UnsaidSession {
  readonly id: string;
  readonly workspace: string;
  /** The event up to which it is indexed. */
  readonly saidSeq: number;
}

export function toUnsaid(row: Row): UnsaidSession {
  return { id: String(row["id"]), workspace: String(row["workspace"]), saidSeq: Number(row["said_seq"]) };
}

export function toFound(row: Row): FoundPiece {
  return {
    id: Number(row["id"]),
    sessionId: String(row["session_id"]),
    turnId: String(row["turn_id"]),
    kind: saidKinds.find((kind) => kind === row["kind"]) ?? "answer",
    firstSeq: Number(row["first_seq"]),
    lastSeq: Number(row["last_seq"]),
    at: Number(row["at"]),
  };
}
