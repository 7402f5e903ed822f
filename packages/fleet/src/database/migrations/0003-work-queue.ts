/**
 * What gateways and workers hand to each other. This is not the log: rows can be deleted once they are answered.
 *
 * - `work` has one row per key that ever had work: a session, or a conversation of the stateless doors. Submitters lock it, and so does the
 *   worker that finds nothing left to do, so no turn is stranded between them. `fence` only grows.
 * - `turns` are the requested turns, in the order of `position`. A turn goes from `queued` to `running` once, in the transaction that
 *   checks the fence. `input` and `answer` are sealed; the input is deleted when the turn ends.
 * - `running_turns` is what gateways show of running turns: what each waits for, sealed.
 * - `commands` are addressed to one process: stop, steer or answer a turn it runs, or look at files on its machine.
 * - `live_batches` carry answers of the stateless doors while they stream. Unlogged: they matter only while a client waits, and no backup
 *   has them.
 * - `members` are the gateways and workers that are present.
 */
export const workQueue = `
  create table work (
    key         text collate "C" not null primary key,
    kind        text   not null,
    queue       text   not null,
    fence       bigint not null default 0,
    owner       text,
    lease_until timestamptz,
    job         uuid
  );
  create index work_leased on work (lease_until) where owner is not null;
  create index sessions_leased on sessions (lease_until) where owner is not null;

  create table turns (
    id              text collate "C" not null primary key,
    position        bigint generated always as identity,
    key             text collate "C" not null references work (key),
    state           text   not null default 'queued',
    fence           bigint,
    idempotency_key text unique,
    input           bytea,
    answer          bytea,
    submitted_at    timestamptz not null default now(),
    started_at      timestamptz,
    ended_at        timestamptz
  );
  create index turns_open on turns (key, position) where state in ('queued', 'running');
  create index turns_ended on turns (ended_at) where ended_at is not null;

  create table running_turns (
    session_id text collate "C" not null primary key,
    turn_id    text not null,
    owner      text not null,
    waits      bytea,
    changed    timestamptz not null default now()
  );

  create table commands (
    id      text collate "C" not null primary key,
    number  bigint generated always as identity,
    target  text not null,
    state   text not null default 'queued',
    body    bytea,
    answer  bytea,
    sent_at timestamptz not null default now()
  );
  create index commands_queued on commands (target, number) where state = 'queued';

  create unlogged table live_batches (
    share  text collate "C" not null,
    number integer not null,
    body   bytea   not null,
    at     timestamptz not null default now(),
    primary key (share, number)
  );

  create table members (
    id         text not null primary key,
    role       text not null,
    machine    text not null,
    version    text not null,
    about      jsonb not null default '{}',
    is_leaving boolean not null default false,
    started_at timestamptz not null default now(),
    seen_at    timestamptz not null default now()
  );
`;
