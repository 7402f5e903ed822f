/**
 * A prompt that waits for a session's turn is a message whose receiver is the session; `mode` is what its turn is for. A fork knows
 * the session and the event that it was copied through.
 */
export const promptsAndForks = `
  insert into schema_migration (number) values (9);

  alter table message add column mode text;
  alter table session add column forked_from text;
  alter table session add column forked_seq integer;
  create index session_by_origin on session (forked_from) where forked_from is not null;
`;
