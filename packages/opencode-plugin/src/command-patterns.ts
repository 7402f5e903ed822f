/** What makes a line more than one command with its words: operators, substitutions, redirections, escapes. */
const MORE_THAN_WORDS = /[;&|<>$`(){}\\\n\r!]/;

/** Where another command may begin. */
const COMMAND_START = /(?:[;&|`(){}\n\r!]|<\(|>\(|\$\()+/;

export interface CommandPatterns {
  /** Each must be allowed. */
  readonly patterns: string[];
  /** What a person allows from here on with "always". */
  readonly always: string[];
}

/**
 * OpenCode compares a pattern with the whole text of a command: a person who always allows `git *` would allow `git log; rm -r ~` too. So a
 * line that is more than one command is asked about as what runs it, `sh -c`, and by its parts, which the user's rules may deny. It is
 * never remembered.
 */
export function commandPatterns(command: string): CommandPatterns {
  const line = command.trim();
  if (!MORE_THAN_WORDS.test(line)) return { patterns: [line], always: [`${line.split(/\s/)[0]} *`] };
  const parts = line
    .split(COMMAND_START)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return { patterns: [`sh -c ${line}`, ...parts], always: [] };
}
