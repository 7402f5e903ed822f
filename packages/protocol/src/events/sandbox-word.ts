/**
 * How a turn's processes are walled in, weakest first: `off` is containment only, `on` a sandbox with the machine's network, `strict` a
 * sandbox that reaches only named hosts or none. docs/sandbox.md has the table.
 */
export const sandboxWords = ["off", "on", "strict"] as const;
export type SandboxWord = (typeof sandboxWords)[number];

/** The setting, the session and the turn can each ask for a sandbox; none can weaken what another asks for. */
export function strictest(...words: readonly (SandboxWord | undefined)[]): SandboxWord {
  return sandboxWords.findLast((word) => words.includes(word)) ?? "off";
}
