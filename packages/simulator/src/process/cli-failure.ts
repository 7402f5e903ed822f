/** A way for the CLI to end as the real one does on failure: plain words on stderr, a code, and no JSON at all. */
export class CliFailure extends Error {
  override readonly name = "CliFailure";
  readonly exitCode: number;

  constructor(message: string, options: { readonly exitCode?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.exitCode = options.exitCode ?? 1;
  }
}
