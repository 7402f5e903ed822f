/**
 * Whose sessions, messages and turns they are: null is the person whose gateway it is. A turn's usage keeps its user when its
 * session is deleted: deleting one gives nothing back of a quota.
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
