/** One file of the page, with its compressed forms where those are smaller. */
export interface PageFile {
  readonly bytes: Uint8Array;
  readonly br?: Uint8Array;
  readonly gzip?: Uint8Array;
  readonly mediaType: string;
  /** Its name changes with its content, so that a browser never has to ask for it again. */
  readonly immutable: boolean;
}

/** The built page by path, `/` for the page itself. Everything in it is public. */
export type PageFiles = ReadonlyMap<string, PageFile>;
