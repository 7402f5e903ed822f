/**
 * What gateways show of comparisons, which live in the workers that run them (`owner`). `view` is sealed: it has the prompt and what
 * candidates say. `version` grows with each change.
 */
export const comparisons = `
  create table comparisons (
    id      text   not null primary key,
    owner   text   not null,
    view    bytea  not null,
    version bigint not null default 1
  );
  create index comparisons_by_owner on comparisons (owner);
`;
