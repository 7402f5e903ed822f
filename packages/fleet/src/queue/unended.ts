/** SQL condition: the turn is shown as running, but nobody holds its session. Its worker was killed before it published the end. */
export const isEndedSql = "running_turns.session_id = sessions.id and sessions.owner is null";

/** SQL condition: a lost worker had taken this session's turn and not begun it, or it was stopped in the queue. It may be in no log yet. */
export const isUnrecordedSql = `(kind = 'session' and input is not null
  and (state = 'withdrawn' or (state = 'running' and owner is not null and lease_until < now())))`;
