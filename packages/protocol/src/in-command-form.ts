/** Sentences name Caret's commands as `caret …`, in backquotes; this gives them the form that works on this machine. */
export function inCommandForm(text: string, command: string): string {
  return command === "caret" ? text : text.replaceAll(/`caret(?= [a-z])/g, `\`${command}`);
}
