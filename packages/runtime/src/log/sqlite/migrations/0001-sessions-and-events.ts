/**
 * `turn_usage` deliberately has no foreign key to a session: deleting one must not give its spending back to the day. Its `day` is null
 * for usage paid elsewhere.
 */
export const sessionsAndEvents = `
  insert into schema_migration (number) values (1);

  create table session (
    id          text    not null primary key,
    workspace   text    not null,
    title       text,
    lane        text,
    model       text,
    created_at  integer not null,
    updated_at  integer not null,
    archived    integer not null,
    imported    integer not null,
    last_seq    integer not null,
    upstream    text    not null,
    search_text text    not null
  ) strict;
  create index session_by_update on session (updated_at desc, id);

  create table event (
    session_id text    not null references session (id) on delete cascade,
    seq        integer not null,
    turn_id    text    not null,
    at         integer not null,
    data       text    not null,
    raw        text,
    raw_cut    integer not null,
    primary key (session_id, seq)
  ) strict;

  create table turn (
    session_id text    not null references session (id) on delete cascade,
    turn_id    text    not null,
    model      text,
    first_seq  integer not null,
    started_at integer not null,
    owner      text    not null,
    ended_at   integer,
    primary key (session_id, turn_id)
  ) strict;
  create index turn_running on turn (session_id) where ended_at is null;

  create table turn_usage (
    session_id  text not null,
    turn_id     text not null,
    day         text,
    model       text,
    input       integer,
    output      integer,
    cache_read  integer,
    cache_write integer,
    reasoning   integer,
    cost        real,
    primary key (session_id, turn_id)
  ) strict;
  create index turn_usage_by_day on turn_usage (day);
`;
