import { CaretError } from "@caret/protocol";

const MAX_DEPTH = 128;

/** Refuse JSON so deep that whoever walks it by recursion would run out of stack. Parsing it is harmless. */
export function assertShallow(json: unknown): void {
  let level: readonly unknown[] = [json];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw new CaretError("invalid-request", `The body: is nested more than ${MAX_DEPTH} deep.`);
    level = level.flatMap(childrenOf);
  }
}

function childrenOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value).filter(isContainer) : [];
}

function isContainer(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
