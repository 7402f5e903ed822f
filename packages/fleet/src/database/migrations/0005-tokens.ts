/**
 * Tokens that every gateway of the fleet accepts: digests, not secrets. Every change to a token increases `change`, so a gateway compares
 * one number to see whether to read them again.
 */
export const tokens = `
  create table tokens (
    name          text collate "C" not null primary key,
    sha256        text   not null,
    cookie_sha256 text,
    scopes        text[] not null,
    user_name     text collate "C",
    team_name     text collate "C",
    sees_all      boolean not null default false,
    workspace     text,
    created_at    bigint not null,
    revoked_at    bigint,
    used_at       bigint,
    change        bigint not null
  );
  create index tokens_by_change on tokens (change desc);
`;
