/**
 * Contested transcripts outlive the session that answered them last: without the row the next session to answer would pass for the only
 * one, and the client of an earlier one would go on there. `deleted_with` is the session that an uncontested row goes with. PostgreSQL works
 * it out itself, so that it is right in rows of programs that do not know it.
 *
 * Both tables are altered. A session is deleted in this order; in the other one the two would wait for each other.
 */
export const contestedTranscripts = `
  lock table sessions in access exclusive mode;
  lock table lineage_transcripts in access exclusive mode;
  alter table lineage_transcripts
    drop constraint lineage_transcripts_session_id_fkey,
    add column deleted_with text collate "C" generated always as (case when not is_contested then session_id end) stored
      references sessions (id) on delete cascade;
  create index lineage_transcripts_by_deleted_with on lineage_transcripts (deleted_with);
`;
