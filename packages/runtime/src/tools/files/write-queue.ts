/** Lets the writers of one file in one after the other. An agent may send several edits of a file at once. */
export type WriteQueue = <Value>(file: string, write: () => Promise<Value>) => Promise<Value>;

export function createWriteQueue(): WriteQueue {
  const last = new Map<string, Promise<unknown>>();
  return async (file, write) => {
    const before = last.get(file) ?? Promise.resolve();
    // The one before has told its own caller how it went; here only its end counts.
    const mine = before.then(write, write);
    last.set(file, mine);
    try {
      return await mine;
    } finally {
      if (last.get(file) === mine) last.delete(file);
    }
  };
}
