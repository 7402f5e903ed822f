/** Whether a fix is something to type, and not a sentence about what to do. */
export function isCommand(fix: string): boolean {
  return !/[.!?]$/.test(fix.trimEnd());
}
