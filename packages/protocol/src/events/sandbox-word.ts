/**
 * What the processes of a turn are walled in by, from the least to the most: `off` nothing but containment, `on` a sandbox
 * with the machine's network, `strict` a sandbox that reaches only named hosts or none. docs/sandbox.md has the table.
 */
export const sandboxWords = ["off", "on", "strict"] as const;
export type SandboxWord = (typeof sandboxWords)[number];

/** The setting, the session and the turn may each ask for a sandbox: none of them can weaken what another asks for. */
export function strictest(...words: readonly (SandboxWord | undefined)[]): SandboxWord {
  return sandboxWords.findLast((word) => words.includes(word)) ?? "off";
}
