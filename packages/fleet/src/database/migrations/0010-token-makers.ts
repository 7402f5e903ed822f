/** Which token made a token: it is revoked with it. `made_by` is the digest of the maker, whose name may be given again. */
export const tokenMakers = `
  alter table tokens add column made_by text, add column made_by_name text collate "C";
`;
