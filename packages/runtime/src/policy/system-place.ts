const SYSTEM_PLACE = /^\/(usr\/(local\/)?)?s?bin\/[^/]+$/;

/** Is it a program where the system keeps its own? `./rm` need not be `rm`. */
export function isInSystemPlace(program: string): boolean {
  return SYSTEM_PLACE.test(program);
}
