/**
 * What a person would type to run the agent. A program that an interpreter starts, the simulator for one, stands for Cursor's
 * own: nobody updates or reinstalls `node` to mend it.
 */
export function commandName(command: string | undefined, file: string): string {
  const name = command ?? file.split(/[\\/]/).at(-1) ?? file;
  return /^node(?:js)?(?:\.exe)?$/i.test(name) ? "agent" : name;
}

/** How errors speak of a program, and whether the user has set it: nobody but them mends or updates that one. */
export function programWords(command: string | undefined, file: string): { commandName: string; isOwn: boolean } {
  return { commandName: commandName(command, file), isOwn: command !== undefined };
}
