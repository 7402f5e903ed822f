import { sessionsAndEvents } from "./0001-sessions-and-events.ts";
import { pinnedSessions } from "./0002-pinned-sessions.ts";
import { workQueue } from "./0003-work-queue.ts";
import { users } from "./0004-users.ts";
import { tokens } from "./0005-tokens.ts";
import { keptAnswers } from "./0006-kept-answers.ts";
import { lineage } from "./0007-lineage.ts";
import { comparisons } from "./0008-comparisons.ts";
import { contestedTranscripts } from "./0009-contested-transcripts.ts";
import { tokenMakers } from "./0010-token-makers.ts";
import { partitionRights } from "./0011-partition-rights.ts";

export interface Migration {
  /** One or more statements, run in the transaction that records the migration. */
  readonly sql: string;
  /**
   * The oldest program that still works with this migration applied, by the number of the newest migration it knows. A migration that only
   * adds (expand) names the number before its own or an earlier one, so two versions can run at once; one that removes (contract) names the
   * first program that does not use what it removes.
   */
  readonly oldestProgram: number;
}

/** In order, numbered from 1. Never edit a released migration; add a new one. */
export const migrations: readonly Migration[] = [
  { sql: sessionsAndEvents, oldestProgram: 1 },
  { sql: pinnedSessions, oldestProgram: 1 },
  { sql: workQueue, oldestProgram: 1 },
  { sql: users, oldestProgram: 3 },
  { sql: tokens, oldestProgram: 3 },
  { sql: keptAnswers, oldestProgram: 3 },
  { sql: lineage, oldestProgram: 3 },
  { sql: comparisons, oldestProgram: 3 },
  { sql: contestedTranscripts, oldestProgram: 3 },
  { sql: tokenMakers, oldestProgram: 3 },
  { sql: partitionRights, oldestProgram: 3 },
];
