/**
 * The owner of sessions, messages and turns; null is the gateway's own user. A turn's usage keeps its user when its session is deleted, so
 * deleting a session does not restore any quota.
 */
export const users = `
  insert into schema_migration (number) values (11);

  alter table session add column user_name text;
  alter table session add column team_name text;
  alter table turn_usage add column user_name text;
  alter table turn_usage add column team_name text;
  alter table message add column user_name text;
  create index session_user on session (user_name, updated_at desc) where user_name is not null;
  create index turn_usage_user on turn_usage (user_name, day) where user_name is not null;
`;
