import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";

/** Ours alone, also when it was there before with looser permissions. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}

/** SQLite gives its `-wal` and `-shm` files the permissions of the database, so this covers all three. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
}
