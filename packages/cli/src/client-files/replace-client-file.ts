import { randomUUID } from "node:crypto";
import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { CaretError } from "@caret/protocol";
import { fileStamp } from "@caret/runtime";

/** A client's file as it was read. */
export interface ClientFile {
  /** Behind links: who keeps settings elsewhere and links them wants the file changed, not the link. */
  readonly file: string;
  readonly text: string;
  /** Changes when another program writes the file. */
  readonly stamp: string;
}

/** Undefined when there is none. */
export function readClientFile(path: string): ClientFile | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const file = realpathSync(path);
  const stamp = fileStamp(file);
  return { file, text: readFileSync(file, "utf8"), stamp };
}

/** Written beside and renamed, with the permissions that it had. Refuses when another program wrote it meanwhile. */
export function replaceClientFile({ file, stamp }: ClientFile, text: string): void {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, text, { mode: statSync(file).mode & 0o777, flag: "wx" });
    if (fileStamp(file) !== stamp)
      throw new CaretError("invalid-request", `Another program has just changed ${file}`, { fix: "Run it again." });
    renameSync(draft, file);
  } catch (reason) {
    rmSync(draft, { force: true });
    throw reason;
  }
}
