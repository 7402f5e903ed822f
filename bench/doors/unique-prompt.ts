let count = 0;

/** A prompt that nobody has asked before: the same one again could be taken for a client that comes back. */
export function uniquePrompt(orders: string): string {
  count += 1;
  return `Question ${count} of process ${process.pid}: ${orders}`;
}
