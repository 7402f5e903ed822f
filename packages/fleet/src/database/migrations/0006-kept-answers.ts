/**
 * Answers that clients refer to by id (`previous_response_id`), sealed. Each belongs to its keeper alone and is deleted with its session.
 */
export const keptAnswers = `
  create table kept_answers (
    key        bigint generated always as identity primary key,
    keeper     text collate "C" not null,
    id         text collate "C" not null,
    session_id text collate "C" not null,
    at         bigint  not null,
    body       bytea   not null,
    unique (keeper, id)
  );
  create index kept_answers_by_session on kept_answers (session_id);
  create index kept_answers_by_time on kept_answers (at);
  create table kept_items (
    keeper text collate "C" not null,
    id     text collate "C" not null,
    answer bigint not null references kept_answers (key) on delete cascade,
    primary key (keeper, id)
  );
  create index kept_items_by_answer on kept_items (answer);
`;
