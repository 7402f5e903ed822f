/** Sessions a person pinned to the top of the list. */
export const pinnedSessions = `
  alter table sessions add column pinned boolean not null default false;
  create index sessions_pinned on sessions (updated_at desc, id) where pinned;
`;
