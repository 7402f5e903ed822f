/**
 * What a session list shows is stored with the session, so lists need not read the logs. For existing sessions, the prompt and outcome of
 * the last turn are filled in.
 */
export const whatListsShow = `
  insert into schema_migration (number) values (2);

  alter table session add column permission   text;
  alter table session add column last_line    text    not null default '';
  alter table session add column line_state   text    not null default 'closed';
  alter table session add column last_turn    text;
  alter table session add column last_turn_at integer;
  alter table session add column last_outcome text;

  update session set (last_turn, last_turn_at, last_line) = (
    select turn.turn_id, coalesce(turn.ended_at, turn.started_at),
      coalesce((
        select substr(said, 1, min(200, instr(said || char(10), char(10)) - 1)) from (
          select trim(case when json_valid(data) then json_extract(data, '$.prompt') end, char(9, 10, 13, 32)) as said
          from event where event.session_id = session.id and event.seq = turn.first_seq
        )
      ), '')
    from turn where turn.session_id = session.id order by turn.first_seq desc limit 1
  ) where exists (select 1 from turn where turn.session_id = session.id);

  update session set last_outcome = (
    select case when json_valid(data) then json_extract(data, '$.outcome.kind') end
    from event where event.session_id = session.id and event.seq = session.last_seq
  ) where last_turn is not null;
`;
