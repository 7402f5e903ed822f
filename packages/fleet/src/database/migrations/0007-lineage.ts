/**
 * Which session answered which transcript of the stateless doors, for all workers. Digests only: rows hold no text. A session's rows are
 * deleted with it.
 *
 * - `lineage_newest` names the only transcript that a session goes on from; another session may have taken over its row in
 *   `lineage_transcripts`.
 * - `lineage_scopes` holds each client's traits at its last request.
 */
export const lineage = `
  create table lineage_transcripts (
    hash         text collate "C" not null primary key,
    session_id   text collate "C" not null references sessions (id) on delete cascade,
    turn_id      text    not null,
    count        integer not null,
    heard_before integer not null,
    at           bigint  not null,
    outcome      text,
    is_contested boolean not null default false,
    request      text,
    shape        text,
    sent         text
  );
  create index lineage_transcripts_by_session on lineage_transcripts (session_id);
  create index lineage_transcripts_by_time on lineage_transcripts (at);
  create table lineage_newest (
    session_id text collate "C" not null primary key references sessions (id) on delete cascade,
    hash       text collate "C" not null,
    at         bigint not null
  );
  create table lineage_scopes (
    scope           text collate "C" not null primary key,
    system_id       text    not null,
    tool_count      integer not null,
    has_shown_tools boolean not null,
    at              bigint  not null
  );
  create index lineage_scopes_by_time on lineage_scopes (at);
`;
