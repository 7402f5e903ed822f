/** A turn that is shown as running, of a session that nobody has: its worker was killed before it said that it had ended. */
export const isEndedSql = "running_turns.session_id = sessions.id and sessions.owner is null";

/** A turn of a session that a lost worker had taken and not begun, or that was stopped in the queue: it may be in no log yet. */
export const isUnrecordedSql = `(kind = 'session' and input is not null
  and (state = 'withdrawn' or (state = 'running' and owner is not null and lease_until < now())))`;
