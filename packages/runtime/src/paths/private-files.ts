import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";

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
