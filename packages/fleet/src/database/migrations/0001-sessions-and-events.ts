/**
 * The embedded store's log plus what a fleet needs. `fence`, `owner` and `lease_until` say which worker may append to a session, and
 * `home_machine` where its workspace and chats are.
 *
 * - `incarnation` tells a session from an earlier one with the same id.
 * - `events` is partitioned by the month of the append (`written`), not of the event, which can be much older: an import is written today.
 *   The primary key cannot make `seq` unique across partitions; the session's row does, since each append moves it.
 * - `data` is text, not `jsonb`: events hold JSON that PostgreSQL rejects.
 * - `turn_usages` deliberately has no foreign key to a session: deleting one must not refund the day's spending. `priced` is the turn's
 *   cost at the prices of its time.
 * - `said` is the search index. `id` is the time the piece was said, plus a number within the millisecond, so the newest come first. Caret
 *   splits the words itself, the same way for both stores.
 * - `api_conversations` and `api_blobs` hold what the API lane's upstream stores with its client.
 * - `openers` are the processes that have the log open. Each counts its own commits, which is how others notice them.
 */
export const sessionsAndEvents = `
  create table sessions (
    id           text collate "C" not null primary key,
    incarnation  bigint generated always as identity,
    workspace    text collate "C" not null,
    title        text,
    lane         text,
    model        text,
    permission   text,
    sandbox      text,
    budget       text,
    created_at   bigint  not null,
    updated_at   bigint  not null,
    archived     boolean not null default false,
    imported     boolean not null default false,
    last_seq     bigint  not null default 0,
    last_line    text    not null default '',
    line_state   text    not null default 'closed',
    last_turn    text,
    last_turn_at bigint,
    last_outcome text,
    upstream     text    not null default '[]',
    forked_from  text collate "C",
    forked_seq   bigint,
    said_seq     bigint  not null default 0,
    search_text  text    not null,
    hidden       text,
    hidden_owner text,
    fence        bigint  not null default 0,
    owner        text,
    lease_until  timestamptz,
    home_machine text
  );
  create index sessions_by_update on sessions (updated_at desc, id);
  create index sessions_by_origin on sessions (forked_from) where forked_from is not null;
  create index sessions_unsaid on sessions (id) where last_seq > said_seq;
  create index sessions_hidden on sessions (hidden) where hidden is not null;

  create table events (
    session_id text collate "C" not null,
    seq        bigint  not null,
    turn_id    text    not null,
    at         bigint  not null,
    data       text    not null,
    raw        text,
    raw_cut    boolean not null default false,
    fence      bigint,
    written    date    not null default (now() at time zone 'UTC')::date,
    primary key (session_id, seq, written)
  ) partition by range (written);

  create function make_event_partitions() returns void
  language plpgsql security definer set search_path from current as $$
  declare
    start_of date := date_trunc('month', now() at time zone 'UTC')::date;
  begin
    for ahead in 0..2 loop
      execute format(
        'create table if not exists %I partition of events for values from (%L) to (%L)',
        'events_' || to_char(start_of + make_interval(months => ahead), 'YYYY_MM'),
        (start_of + make_interval(months => ahead))::date,
        (start_of + make_interval(months => ahead + 1))::date
      );
    end loop;
  end
  $$;
  select make_event_partitions();

  create table logged_turns (
    session_id text collate "C" not null references sessions (id) on delete cascade,
    turn_id    text   not null,
    model      text,
    lane       text,
    client     text,
    first_seq  bigint not null,
    started_at bigint not null,
    owner      text   not null,
    ended_at   bigint,
    primary key (session_id, turn_id)
  );
  create index logged_turns_running on logged_turns (session_id) where ended_at is null;

  create table turn_usages (
    session_id  text collate "C" not null,
    turn_id     text   not null,
    day         text collate "C",
    model       text collate "C",
    lane        text collate "C",
    input       bigint,
    output      bigint,
    cache_read  bigint,
    cache_write bigint,
    reasoning   bigint,
    cost        double precision,
    priced      double precision,
    primary key (session_id, turn_id)
  );
  create index turn_usages_by_day on turn_usages (day);

  create table done_commands (
    name       text   not null primary key,
    digest     text   not null,
    session_id text   not null,
    turn_id    text,
    first_seq  bigint,
    at         bigint not null
  );
  create index done_commands_by_time on done_commands (at);

  create table agents (
    name          text collate "C" not null primary key,
    session_id    text collate "C" not null unique references sessions (id),
    created_by    text not null,
    repository    text,
    branch        text,
    suspended_at  bigint,
    suspended_why text,
    report        text,
    report_at     bigint,
    user_servers  boolean
  );

  create table messages (
    number   bigint generated always as identity primary key,
    id       text   not null unique,
    sender   text   not null,
    receiver text   not null,
    text     text   not null,
    digest   text   not null,
    reply_to text,
    mode     text,
    state    text   not null,
    at       bigint not null,
    turn_id  text
  );
  create index messages_queued on messages (receiver, number) where state = 'queued';
  create index messages_by_receiver on messages (receiver, number);
  create index messages_by_reply on messages (reply_to, number) where reply_to is not null;

  create sequence said_number;
  create table said (
    id         bigint not null primary key,
    session_id text collate "C" not null references sessions (id) on delete cascade,
    turn_id    text   not null,
    kind       text   not null,
    first_seq  bigint not null,
    last_seq   bigint not null,
    at         bigint not null,
    words      tsvector not null
  );
  create index said_by_session on said (session_id);
  create index said_by_word on said using gin (words);

  create table api_conversations (
    id             text collate "C" not null primary key,
    encryption_key text   not null,
    checkpoint     bytea,
    at             bigint not null
  );
  create table api_blobs (
    conversation text collate "C" not null references api_conversations (id) on delete cascade,
    id           bytea not null,
    data         bytea not null,
    primary key (conversation, id)
  );

  create table openers (
    owner     text   not null primary key,
    role      text   not null,
    machine   text   not null,
    version   text   not null,
    commits   bigint not null default 0,
    opened_at timestamptz not null default now(),
    seen_at   timestamptz not null default now()
  );
`;
