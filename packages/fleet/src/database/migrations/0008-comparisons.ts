/**
 * What gateways show of comparisons, which live in the workers that run them (`owner`). `view` is sealed: it contains the prompt and the
 * candidates' answers. `version` grows with each change.
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
