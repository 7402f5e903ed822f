/** The sandbox that a session asks for. Existing sessions ask for none: the setting decides. */
export const sandboxesOfSessions = `
  insert into schema_migration (number) values (5);

  alter table session add column sandbox text;
`;
