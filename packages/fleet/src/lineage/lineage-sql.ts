/**
 * Looks up everything about a request in one statement. For each chain ($1 its number, $2 the place in it, $3 the digest): the last
 * transcript, the newest known one before it, and those that they name by `heard_before`. Also the scopes in $4. `$5` is the asking
 * machine.
 *
 * If a turn's end was logged but not written here (its worker died), the session's last turn supplies it. Contested transcripts of a
 * deleted session are still found: other sessions have answered them too.
 */
export const lookSql = `
  with asked as materialized (
    select *, max(place) over (partition by chain) as last
    from unnest($1::integer[], $2::integer[], $3::text[]) as asked (chain, place, hash)
  ), known as materialized (
    select chain, place, hash, heard_before, last from asked join lineage_transcripts using (hash)
      left join sessions on sessions.id = session_id and hidden is null
    where sessions.id is not null or is_contested
  ), ends as (
    select chain, hash, heard_before from known where place = last
    union all
    (select distinct on (chain) chain, hash, heard_before from known where place < last order by chain, place desc)
  ), wanted as (
    select hash from ends union select known.hash from known join ends using (chain) where known.place = ends.heard_before
  ), found as (
    select hash, session_id, turn_id, count, heard_before, at, is_contested, request, shape, sent,
      coalesce(outcome, case when last_turn = turn_id then last_outcome end) as outcome,
      sessions.id is not null and exists (
        select 1 from lineage_newest as newest join lineage_transcripts as last using (hash, session_id)
        where session_id = transcript.session_id and last.turn_id = transcript.turn_id
      ) as is_newest,
      last_seq, coalesce(home_machine <> $5, false) as is_elsewhere
    from wanted join lineage_transcripts as transcript using (hash)
      left join sessions on sessions.id = session_id and hidden is null
  )
  select (select coalesce(json_agg(found), '[]') from found) as transcripts, (
    select coalesce(json_agg(known_scope), '[]') from (
      select scope, system_id, tool_count, has_shown_tools from lineage_scopes where scope = any($4)
    ) as known_scope
  ) as scopes
`;

/**
 * Writes only while the session exists and, if a fence is given ($10), under that fence, so a worker that was cut off writes nothing late.
 * A scope unchanged since yesterday is not touched: clients of one user share some of them.
 */
export const rememberSql = `
  with held as (
    select id from sessions where id = $2 and hidden is null and ($10::bigint is null or fence = $10)
  ), newest as (
    insert into lineage_newest (session_id, hash, at) select id, $1, $6 from held
    on conflict (session_id) do update set hash = excluded.hash, at = excluded.at
  ), scopes as (
    insert into lineage_scopes (scope, system_id, tool_count, has_shown_tools, at)
    select added.*, $15::bigint from unnest($11::text[], $12::text[], $13::integer[], $14::boolean[])
      as added (scope, system_id, tool_count, has_shown_tools), held
    where not exists (
      select 1 from lineage_scopes as known where known.scope = added.scope and known.at > $15::bigint - 86400000
        and (known.system_id, known.tool_count, known.has_shown_tools) = (added.system_id, added.tool_count, added.has_shown_tools)
    )
    on conflict (scope) do update set system_id = excluded.system_id, tool_count = excluded.tool_count,
      has_shown_tools = excluded.has_shown_tools, at = excluded.at
  )
  insert into lineage_transcripts as known (hash, session_id, turn_id, count, heard_before, at, request, shape, sent)
  select $1, id, $3, $4, $5, $6, $7, $8, $9 from held
  on conflict (hash) do update set session_id = excluded.session_id, turn_id = excluded.turn_id, count = excluded.count,
    heard_before = excluded.heard_before, at = excluded.at, outcome = null,
    is_contested = known.is_contested or known.session_id <> excluded.session_id,
    request = excluded.request, shape = excluded.shape, sent = excluded.sent
`;

export const settleSql = "update lineage_transcripts set outcome = $3 where hash = $1 and turn_id = $2";

export const forgetSql = `
  with newest as (delete from lineage_newest where session_id = $1)
  delete from lineage_transcripts where session_id = $1 and not is_contested
`;

/** Deletes what was not continued since $1. */
export const tidySql = `
  with newest as (delete from lineage_newest where at < $1), scopes as (delete from lineage_scopes where at < $1)
  delete from lineage_transcripts where at < $1
`;
