/**
 * An agent is a name for a session, with a queue of messages. A message is taken from the queue in the transaction that logs the start of
 * its turn. Messages name their agents without foreign keys: they outlive their receiver for the sender, and vice versa. `number` is the
 * order in which they are taken. `text` is the original until the agent has it, then the redacted form; the `digest` still detects a
 * repeated message.
 */
export const agentsAndMessages = `
  insert into schema_migration (number) values (6);

  alter table session add column budget text;

  create table agent (
    name          text    not null primary key,
    session_id    text    not null unique references session (id),
    created_by    text    not null,
    repository    text,
    branch        text,
    suspended_at  integer,
    suspended_why text,
    report        text,
    report_at     integer
  ) strict;

  create table message (
    number   integer not null primary key autoincrement,
    id       text    not null unique,
    sender   text    not null,
    receiver text    not null,
    text     text    not null,
    digest   text    not null,
    reply_to text,
    state    text    not null,
    at       integer not null,
    turn_id  text
  ) strict;
  create index message_queued on message (receiver, number) where state = 'queued';
  create index message_by_receiver on message (receiver, number);
  create index message_by_reply on message (reply_to, number) where reply_to is not null;
`;
