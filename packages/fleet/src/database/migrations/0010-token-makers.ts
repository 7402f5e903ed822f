/** Which token made a token: revoking the maker revokes both. `made_by` is the maker's digest, since its name can be reused. */
export const tokenMakers = `
  alter table tokens add column made_by text, add column made_by_name text collate "C";
`;
