/** Blocks that the CLI puts around what a person typed, or sends in the person's name. */
const harnessTags = [
  "timestamp",
  "system[_-]reminder",
  "system_notification",
  "user_info",
  "user_rules",
  "rules",
  "always_applied_workspace_rules?",
  "agent_requestable_workspace_rules?",
  "cursor_rules_context",
  "git_status",
  "project_layout",
  "open_and_recently_viewed_files",
  "recently_viewed_files",
  "current_file",
  "edit_diff_history",
  "attached_files",
  "additional_data",
  "environment_details",
  "agent_transcripts",
  "agent_skills",
  "mcp_file_system",
  "mcp_instructions",
];
const tag = `(${harnessTags.join("|")})`;
const leadingBlock = new RegExp(`^\\s*<${tag}(?:\\s[^>]*)?>[\\s\\S]*?</\\1>`, "i");
const trailingBlock = new RegExp(`<${tag}(?:\\s[^>]*)?>(?:(?!<\\1)[\\s\\S])*?</\\1>\\s*$`, "i");

/**
 * What a person typed in a user's message. Where the CLI marks it, that and nothing else; where it does not, everything
 * but the CLI's own blocks before and after. Empty when nobody typed anything.
 */
export function typedWords(parts: readonly string[]): string {
  const marked = parts.flatMap((part) => markedWords(part) ?? []);
  const words = marked.length > 0 ? marked : parts.map(withoutBlocks);
  return words.filter((word) => word !== "").join("\n\n");
}

/** From the first opening tag to the last closing one, because people may type these tags themselves. */
function markedWords(part: string): string | undefined {
  return /<user_query>([\s\S]*)<\/user_query>/.exec(part)?.[1]?.trim();
}

function withoutBlocks(part: string): string {
  let words = part;
  for (const block of [leadingBlock, trailingBlock])
    for (let match = block.exec(words); match !== null; match = block.exec(words))
      words = words.slice(0, match.index) + words.slice(match.index + match[0].length);
  return words.trim();
}
