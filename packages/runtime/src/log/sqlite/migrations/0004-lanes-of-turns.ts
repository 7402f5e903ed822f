/** The lane of a turn, stored with its usage: simulated turns are counted apart from real ones, even after deletion. */
export const lanesOfTurns = `
  insert into schema_migration (number) values (4);

  alter table turn add column lane text;
  alter table turn_usage add column lane text;

  update turn set lane = (select lane from session where session.id = session_id);
  update turn_usage set lane = (select lane from session where session.id = session_id);
`;
