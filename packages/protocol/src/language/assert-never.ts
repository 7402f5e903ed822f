/** The end of an exhaustive switch: a new variant stops compiling here before it can surprise anyone at run time. */
export function assertNever(value: never): never {
  throw new Error(`Unhandled variant: ${JSON.stringify(value)}`);
}
