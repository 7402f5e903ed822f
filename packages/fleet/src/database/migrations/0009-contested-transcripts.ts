/**
 * Contested transcripts outlive the session that answered them last. Without the row, the next session to answer would look like the only
 * one, and another session's client would go on there. `deleted_with` is the session with which an uncontested row is deleted. It is a
 * generated column, so rows written by programs that do not know it are right too.
 *
 * Both tables are altered, locked in the order in which deleting a session locks them; the other order could deadlock.
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
