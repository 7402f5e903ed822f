/** Normalises names: those that differ only in case, underscores, dashes, dots and blanks are equal. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s._-]/g, "");
}

/**
 * Names that models and clients use for the same tool. A name belongs to one group only, and only names of tools that do exactly the same
 * are grouped: a patch, a sketch of an edit or a batch of edits is not an `edit`.
 */
const groups = {
  shell: [
    "shell bash exec execute terminal local_shell shell_command bash_command",
    "run_command run_terminal_cmd run_terminal_command run_shell_command run_in_terminal execute_command exec_command",
  ],
  read: ["read read_file view_file open_file get_file_contents"],
  write: ["write write_file create_file write_to_file save_file"],
  edit: ["edit edit_file str_replace string_replace search_replace search_and_replace replace_in_file replace_string"],
  list: ["ls list list_dir list_directory list_files"],
  grep: ["grep grep_search ripgrep rg search_file_content grep_files"],
  glob: ["glob glob_files glob_file_search file_search find_files"],
  codebaseSearch: ["codebase_search search_codebase semantic_search sem_search"],
  webFetch: ["web_fetch mcp_web_fetch fetch fetch_url fetch_web_page"],
  webSearch: ["web_search mcp_web_search search_web"],
  todoWrite: ["todo_write update_todos write_todos update_todo_list"],
  todoRead: ["todo_read read_todos get_todos"],
  task: ["task delegate_task subagent run_subagent launch_subagent spawn_subagent"],
  skill: ["skill use_skill load_skill"],
  skillMcp: ["skill_mcp call_skill_mcp"],
  question: ["question ask_question ask_user_question ask_user"],
  delete: ["delete delete_file remove_file rm"],
  makeDirectory: ["mkdir make_directory create_directory"],
  notebook: ["notebook_edit edit_notebook"],
} as const;

export type ToolGroup = keyof typeof groups;

export const aliasNames: readonly (readonly [ToolGroup, string])[] = Object.entries(groups).flatMap(([group, lines]) =>
  lines.flatMap((line) => line.split(" ").map((name) => [group as ToolGroup, name] as const)),
);

const groupByName: ReadonlyMap<string, ToolGroup> = new Map(
  aliasNames.map(([group, name]) => [plainName(name), group] as const),
);

/** The group of a name, in any spelling, with or without the `ToolCall` suffix of the agent's own stream. */
export function toolGroup(name: string): ToolGroup | undefined {
  const plain = plainName(name);
  return groupByName.get(plain) ?? groupByName.get(plain.replace(/toolcall$/, ""));
}
