import { programName } from "./launch.ts";
import type { ShellWord } from "./shell-word.ts";

/** `python3 -Im pip install x` runs `pip install x`; undefined for any other command. */
export function pythonModule([program, ...others]: readonly ShellWord[]): readonly ShellWord[] | undefined {
  if (program === undefined || !/^python[\d.]*$/.test(programName(program.text))) return undefined;
  const at = others.findIndex(({ text }) => /^-[a-zA-Z]*m/.test(text));
  if (at === -1) return undefined;
  const joined = others[at]?.text.replace(/^-[a-zA-Z]*?m/, "") ?? "";
  return [...(joined === "" ? [] : [{ ...program, text: joined }]), ...others.slice(at + 1)];
}
