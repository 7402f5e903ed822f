/** Sessions that a person pinned to the top of the list. */
export const pinnedSessions = `
  insert into schema_migration (number) values (10);

  alter table session add column pinned integer not null default 0;
  create index session_pinned on session (updated_at desc, id) where pinned = 1;
`;
