import { isThereSql } from "./members.ts";

/** Before the name of a machine: the queue of work that only it can do. */
export const MACHINE_PREFIX = "sessions.machine.";

/** The machine that a key's queue names. */
const machineSql = `substr(queue, ${MACHINE_PREFIX.length + 1})`;

/** Of a row of `work`: only one machine takes its turns, and no worker of that takes any. */
export const machineAwaySql = `starts_with(queue, '${MACHINE_PREFIX}') and not exists (
  select 1 from members where role = 'worker' and machine = ${machineSql} and not is_leaving and ${isThereSql}
)`;

/** Read with a session: its oldest turn that waits, where only a machine can run it that no worker is on. */
export const machineWaitSql = `(
  select json_build_object(
    'machine', ${machineSql}, 'turnId', turns.id, 'since', floor(extract(epoch from submitted_at) * 1000)::bigint
  )
  from work join turns using (key)
  where key = sessions.id and work.owner is null and state = 'queued' and ${machineAwaySql}
  order by position limit 1
) as machine_wait`;
