const SYSTEM_DIRECTORY = /^\/(usr\/(local\/)?)?s?bin\/[^/]+$/;

/** Whether the program is in a system directory: `./rm` need not be `rm`. */
export function isInSystemDirectory(program: string): boolean {
  return SYSTEM_DIRECTORY.test(program);
}
