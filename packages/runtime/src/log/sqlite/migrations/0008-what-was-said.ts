/**
 * `said` holds the position of each searchable piece; its id is the time it was said, so newest first is by id. `said_word` indexes the
 * words but stores no text, which is in the events. Its `scope` has a word for the session and one for each parent directory of its
 * workspace, so a narrow search costs no more than a wide one. `said_seq` is how far a session is indexed; the partial index finds those
 * that are behind.
 */
export const whatWasSaid = `
  insert into schema_migration (number) values (8);

  create table said (
    id         integer not null primary key,
    session_id text    not null references session (id) on delete cascade,
    turn_id    text    not null,
    kind       text    not null,
    first_seq  integer not null,
    last_seq   integer not null,
    at         integer not null
  ) strict;
  create index said_by_session on said (session_id);

  create virtual table said_word using fts5 (
    scope, words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 0'
  );

  create trigger said_gone after delete on said begin
    delete from said_word where rowid = old.id;
  end;

  alter table session add column said_seq integer not null default 0;
  create index session_unsaid on session (id) where last_seq > said_seq;
`;
