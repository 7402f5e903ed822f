/**
 * A prompt that waits for a session's turn is a message whose receiver is the session; `mode` is the mode of its turn. A fork records its
 * origin session and the last event copied.
 */
export const promptsAndForks = `
  insert into schema_migration (number) values (9);

  alter table message add column mode text;
  alter table session add column forked_from text;
  alter table session add column forked_seq integer;
  create index session_by_origin on session (forked_from) where forked_from is not null;
`;
