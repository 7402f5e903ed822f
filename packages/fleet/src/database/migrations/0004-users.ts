/**
 * The user of sessions, messages and turns; null is the gateway's own user. A turn's usage keeps its user when its session is deleted, so
 * deleting gives nothing back of a quota.
 */
export const users = `
  alter table sessions add column user_name text collate "C";
  alter table sessions add column team_name text collate "C";
  alter table turn_usages add column user_name text collate "C";
  alter table turn_usages add column team_name text collate "C";
  alter table messages add column user_name text collate "C";
  create index sessions_by_user on sessions (user_name, updated_at desc, id);
  create index turn_usages_by_user on turn_usages (user_name, day) where user_name is not null;
  create index turn_usages_by_team on turn_usages (team_name, day) where team_name is not null;
  create index logged_turns_by_time on logged_turns (started_at);
`;
