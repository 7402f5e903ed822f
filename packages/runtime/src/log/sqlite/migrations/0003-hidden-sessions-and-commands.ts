/**
 * An incomplete session is hidden: one that is imported or forked until it is complete, and a large one while it is deleted piece by
 * piece. `hidden_owner` is the process that completes it.
 *
 * `command` records commands that clients want done once, with their outcome. It deliberately has no foreign key to a session: the answer
 * that a session was deleted must outlive it.
 */
export const hiddenSessionsAndCommands = `
  insert into schema_migration (number) values (3);

  alter table session add column hidden       text;
  alter table session add column hidden_owner text;
  create index session_hidden on session (hidden) where hidden is not null;

  create table command (
    name       text    not null primary key,
    digest     text    not null,
    session_id text    not null,
    turn_id    text,
    first_seq  integer,
    at         integer not null
  ) strict;
  create index command_by_time on command (at);
`;
