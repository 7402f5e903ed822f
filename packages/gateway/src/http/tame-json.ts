import { CaretError } from "@caret/protocol";

const MAX_DEPTH = 128;

type Container = Record<string, unknown>;

/**
 * Makes a parsed body safe to read and to copy: removes keys that would become a prototype when objects are merged, and rejects JSON nested
 * so deep that recursive code would overflow the stack. Looks only at keys, not at a body's texts, which can be megabytes.
 */
export function tameJson(json: unknown): void {
  let level = isContainer(json) ? [json] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw new CaretError("invalid-request", `The body: is nested more than ${MAX_DEPTH} deep.`);
    level = level.flatMap(tamedChildren);
  }
}

function tamedChildren(container: Container): readonly Container[] {
  if (Object.hasOwn(container, "__proto__")) Reflect.deleteProperty(container, "__proto__");
  if (Object.hasOwn(container, "constructor") && hasPrototype(container["constructor"]))
    Reflect.deleteProperty(container, "constructor");
  return Object.values(container).filter(isContainer);
}

function hasPrototype(value: unknown): boolean {
  return isContainer(value) && Object.hasOwn(value, "prototype");
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}
