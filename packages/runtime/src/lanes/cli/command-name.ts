/**
 * What a person would type to run the agent. A program started by an interpreter, such as the simulator, stands for Cursor's own: updating
 * or reinstalling `node` would fix nothing.
 */
export function commandName(command: string | undefined, file: string): string {
  const name = command ?? file.split(/[\\/]/).at(-1) ?? file;
  return /^node(?:js)?(?:\.exe)?$/i.test(name) ? "agent" : name;
}

/** How errors refer to a program, and whether the user configured it: then only the user can fix or update it. */
export function programWords(command: string | undefined, file: string): { commandName: string; isOwn: boolean } {
  return { commandName: commandName(command, file), isOwn: command !== undefined };
}
