/** What came in on stdin. Reading starts at once, so that a large prompt never blocks its writer. */
export interface StandardInput {
  /** Everything, once the other side has closed it. */
  readonly ended: Promise<Buffer>;
}

export function readStandardInput(stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }): StandardInput {
  if (stdin.isTTY === true) return { ended: Promise.resolve(Buffer.alloc(0)) };
  const ended = new Promise<Buffer>((resolve) => {
    const chunks: Buffer[] = [];
    const done = () => resolve(Buffer.concat(chunks));
    stdin.on("data", (chunk: Buffer | string) => {
      chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    });
    stdin.once("end", done);
    // A closed or broken stdin holds as much as it has given.
    stdin.once("error", done);
    stdin.once("close", done);
  });
  return { ended };
}
