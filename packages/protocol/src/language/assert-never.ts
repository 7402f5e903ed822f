/** Ends an exhaustive switch: an unhandled new variant fails to compile here instead of surprising anyone at run time. */
export function assertNever(value: never): never {
  throw new Error(`Unhandled variant: ${JSON.stringify(value)}`);
}
