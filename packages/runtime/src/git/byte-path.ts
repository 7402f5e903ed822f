/**
 * A path as Git prints it, relative to the top of a checkout, with a character for each byte (`latin1`): a name need not be UTF-8, and
 * one that was decoded is the name of another file, or of none.
 */
export type BytePath = string;

/** The file's name for the disk. */
export function onDisk(top: string | Buffer, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(top), Buffer.from("/"), Buffer.from(path, "latin1")]);
}

/** The name for people. */
export function shownPath(path: BytePath): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

/** Whether it can be the argument of a program: Node passes text alone. */
export function isText(path: BytePath): boolean {
  return Buffer.from(shownPath(path)).equals(Buffer.from(path, "latin1"));
}

/** What Git prints with `-z`. */
export function splitPaths(text: string): readonly BytePath[] {
  return text.split("\0").filter((path) => path !== "");
}
