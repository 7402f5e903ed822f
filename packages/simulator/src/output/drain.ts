/** Resolves once everything written so far has left the process; a process that exits earlier takes it along. */
export function drain(stream: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write("", () => resolve());
  });
}
