import type { AgentProgram } from "./agent-program.ts";

/** The smallest possible turn, for a program that reads one from standard input. */
const minimalTurn = '{"type":"turn","turnId":"t1","messages":[{"role":"user","content":"hi"}],"tools":[]}';

/** What a person types to run a program as Caret does: with pipes in place of a terminal. */
export function pipeTest({ style, args }: AgentProgram, file: string, platform: NodeJS.Platform): string {
  const isWindows = platform === "win32";
  const command = [file, ...args].map((word) => quote(word, isWindows)).join(" ");
  if (style === "official") return `${command} hi | ${isWindows ? "more" : "cat"}`;
  return isWindows ? `echo ${minimalTurn}| ${command}` : `echo '${minimalTurn}' | ${command}`;
}

function quote(word: string, isWindows: boolean): string {
  if (/^[\w./:=@%+,\\-]+$/.test(word)) return word;
  return isWindows ? `"${word.replaceAll('"', '""')}"` : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
