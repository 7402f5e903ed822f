/**
 * What a person would type to run the agent. A program that an interpreter starts, the simulator for one, stands for Cursor's
 * own: nobody updates or reinstalls `node` to mend it.
 */
export function commandName(command: string | undefined, file: string): string {
  const name = command ?? file.split(/[\\/]/).at(-1) ?? file;
  return /^node(?:js)?(?:\.exe)?$/i.test(name) ? "agent" : name;
}
