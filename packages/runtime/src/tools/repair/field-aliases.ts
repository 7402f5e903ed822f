import { plainName } from "../../calls/tool-aliases.ts";

/**
 * Argument names with the same meaning. A name can be in two groups (`path` is a file's or a directory's): if a schema has a property of
 * each, nothing is renamed.
 *
 * Deliberately omitted: `timeout` and its variants (seconds or milliseconds?), line numbers (from 0 or from 1?), and `query` for `pattern`
 * (words or a regular expression?).
 */
const groups: readonly (readonly string[])[] = [
  "path file_path file filename target_file absolute_path file_name",
  "path dir directory dir_path directory_path target_directory",
  "command cmd command_line shell_command bash_command",
  "cwd workdir working_dir working_directory",
  "content contents file_content file_contents file_text",
  "old_string old_str old_text",
  "new_string new_str new_text",
  "replace_all replace_all_occurrences",
  "pattern regex regexp",
  "pattern glob_pattern",
  "query search_query search_term",
  "url uri",
  "todos todo_list",
  "prompt instructions",
  "subagent_type agent_type",
].map((line) => line.split(" ").map(plainName));

/** Whether two arguments mean the same, judging by their names alone. */
export function meansTheSame(one: string, other: string): boolean {
  const [plainOne, plainOther] = [plainName(one), plainName(other)];
  if (plainOne === plainOther) return true;
  return groups.some((group) => group.includes(plainOne) && group.includes(plainOther));
}

const bookkeeping: ReadonlySet<string> = new Set(
  [
    "description explanation reason thought title summary",
    "tool_call_id call_id model_call_id conversation_id",
    "parsing_result simple_commands requested_sandbox_policy has_input_redirect has_output_redirect",
    "file_output_threshold_bytes skip_approval",
  ].flatMap((line) => line.split(" ").map(plainName)),
);

/** Whether an argument only describes a call and does not change its effect. */
export function isBookkeeping(name: string): boolean {
  return bookkeeping.has(plainName(name));
}
