import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { CaretError } from "@caret/protocol";

const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/** The bytes of a file. Whatever else is in its place, a pipe that nobody writes into for instance, is refused and not waited for. */
export function readRegularFile(path: string): Buffer {
  if (!statSync(path).isFile()) throw irregular(path);
  // It may have been exchanged meanwhile.
  const file = openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw irregular(path);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function irregular(path: string): CaretError {
  return new CaretError("invalid-request", `${path} is no regular file`, {
    fix: "Nothing was changed. Move what is there away first.",
  });
}
