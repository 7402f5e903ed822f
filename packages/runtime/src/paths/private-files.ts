import { randomUUID } from "node:crypto";
import { chmodSync, closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Ours alone, also when it was there before with looser permissions. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}

/**
 * SQLite gives its `-wal` and `-shm` files the permissions of the database, so this covers all three. A file that exists
 * is never opened here: closing it again would drop every lock this process has on it.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code !== "EEXIST") throw reason;
  }
  chmodSync(path, 0o600);
}

/** Written to a temporary file and renamed, so that readers never see half of it; mode 0600. */
export function writePrivateFile(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, content, { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } catch (reason) {
    rmSync(draft, { force: true });
    throw reason;
  }
}

/** Changes with every change of a file, also where another one of the same length and time was put in its place. */
export function fileStamp(file: string): string {
  try {
    const { ino, ctimeNs, mtimeNs, size } = statSync(file, { bigint: true });
    return `${ino} ${ctimeNs} ${mtimeNs} ${size}`;
  } catch {
    return "none"; // there is none, or we may not look: reading it will say so
  }
}
