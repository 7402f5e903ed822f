/** Whether an agent has the user's own MCP servers; null: the setting decides. */
export const serversOfAgents = `
  insert into schema_migration (number) values (7);

  alter table agent add column user_servers integer;
`;
