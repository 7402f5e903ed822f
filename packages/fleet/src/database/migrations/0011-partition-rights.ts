/**
 * Partitions belong to the owner alone; roles read and write them through `events`. The function revokes what default privileges granted on
 * a new partition, and cannot be led to a table in the caller's temporary schema before Caret's own.
 */
export const partitionRights = `
  create or replace function make_event_partitions() returns void
  language plpgsql security definer set search_path from current as $$
  declare
    start_of date := date_trunc('month', now() at time zone 'UTC')::date;
    partition text;
    holder text;
  begin
    for ahead in 0..2 loop
      partition := 'events_' || to_char(start_of + make_interval(months => ahead), 'YYYY_MM');
      execute format(
        'create table if not exists %I partition of events for values from (%L) to (%L)',
        partition,
        (start_of + make_interval(months => ahead))::date,
        (start_of + make_interval(months => ahead + 1))::date
      );
      for holder in
        select distinct case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end
        from pg_class, aclexplode(relacl) where oid = partition::regclass and grantee <> relowner
      loop
        execute format('revoke all on %I from %s', partition, holder);
      end loop;
    end loop;
  end
  $$;
  do $$ begin
    execute format('alter function make_event_partitions() set search_path = %I, pg_temp', current_schema());
  end $$;
`;
