import { isThereSql } from "./members.ts";

/** Prefix of the queue of work that only one machine can do; its name follows. */
export const MACHINE_PREFIX = "sessions.machine.";

/** The machine named by a key's queue. */
const machineSql = `substr(queue, ${MACHINE_PREFIX.length + 1})`;

/** For a row of `work`: only one machine takes its turns, and no worker there takes any. */
export const machineAwaySql = `starts_with(queue, '${MACHINE_PREFIX}') and not exists (
  select 1 from members where role = 'worker' and machine = ${machineSql} and not is_leaving and ${isThereSql}
)`;

/** Column read along with a session: its oldest queued turn, if only a machine without workers can run it. */
export const machineWaitSql = `(
  select json_build_object(
    'machine', ${machineSql}, 'turnId', turns.id, 'since', floor(extract(epoch from submitted_at) * 1000)::bigint
  )
  from work join turns using (key)
  where key = sessions.id and work.owner is null and state = 'queued' and ${machineAwaySql}
  order by position limit 1
) as machine_wait`;
