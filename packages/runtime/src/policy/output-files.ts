import { programName } from "./launch.ts";
import { commonOutput, isCommonOutputName, type OutputForm, outputTable, readsOnly } from "./output-table.ts";
import { pythonModule } from "./python-module.ts";
import { afterMatch, outputsOf, readOptions } from "./read-outputs.ts";
import { fixedWord, type ShellWord } from "./shell-word.ts";

/** Git subcommands that only read, wherever the repository is. */
const looking =
  /^(status|log|diff|show|blame|grep|ls-files|ls-tree|rev-parse|rev-list|cat-file|describe|shortlog|merge-base|name-rev|check-ignore|version|help)$/;

/** Output options of git's subcommands, and operands that are directories or files to create. */
const gitForms: Readonly<Record<string, OutputForm>> = {
  archive: { letters: "o", names: ["output"] },
  "format-patch": { letters: "o", names: ["output-directory"] },
  clone: { names: ["separate-git-dir"], valued: "bcouj", from: 1 },
  init: { names: ["separate-git-dir"], valued: "b", from: 0 },
  worktree: { valued: "bB", from: 1 },
  bundle: { from: 1 },
  "checkout-index": { names: ["prefix"] },
  "fast-export": { names: ["export-marks"] },
  apply: { names: ["directory", "build-fake-ancestor"] },
  mv: { from: 0, keepsNames: true },
  "merge-file": { only: 0 },
  bugreport: { letters: "o", names: ["output-directory"] },
  diagnose: { letters: "o", names: ["output-directory"] },
  mailsplit: { letters: "o" },
  mailinfo: { from: 0 },
  "index-pack": { letters: "o" },
  "pack-objects": { from: 0 },
};

const anyOutput: OutputForm = { names: ["output"] };

/** The files and directories a command writes through its options and operands, as far as known. */
export function outputFiles(words: readonly ShellWord[]): readonly ShellWord[] {
  const name = programName(words[0]?.text ?? "");
  const given = words.slice(1);
  if (name === "git") return gitOutputs(given);
  if (/^(bsd|g)?tar$/.test(name)) return tarOutputs(given);
  if (/^7z[arz]?$/.test(name)) return sevenZipOutputs(given);
  if (readsOnly.has(name)) return [];
  const module = pythonModule(words);
  if (module !== undefined) return outputFiles(module);
  const form = Object.hasOwn(outputTable, name) ? outputTable[name] : undefined;
  return form === undefined ? commonOutputs(given) : outputsOf(form, given);
}

/** For an unlisted program, only options: which operands are files is unknown. */
function commonOutputs(given: readonly ShellWord[]): readonly ShellWord[] {
  return readOptions(commonOutput, given, isCommonOutputName).values;
}

/** Options before git's subcommand that point it elsewhere. */
const gitPlaces: OutputForm = { letters: "C", names: ["git-dir", "work-tree"], valued: "c" };

/** Another repository matters unless git only reads. */
function gitOutputs(given: readonly ShellWord[]): readonly ShellWord[] {
  const { values: elsewhere, operands } = readOptions(gitPlaces, given.slice(0, subcommandAt(given) + 1));
  const command = operands[0]?.text ?? "";
  const form = Object.hasOwn(gitForms, command) ? gitForms[command] : undefined;
  const made = outputsOf(form ?? anyOutput, given.slice(subcommandAt(given) + 1));
  return looking.test(command) ? made : [...elsewhere, ...made];
}

/** Index of the first word that is neither an option nor an option's value. */
function subcommandAt(given: readonly ShellWord[]): number {
  const takesNext = (word: ShellWord | undefined): boolean => /^(-[Cc]|--git-dir|--work-tree)$/.test(word?.text ?? "");
  return given.findIndex((word, index) => !word.text.startsWith("-") && !takesNext(given[index - 1]));
}

const TAR_VALUED = "CfTXbgHKNLVI";

/** What `tar` writes: the archive if it creates or changes one, otherwise the directory it extracts to. */
function tarOutputs(given: readonly ShellWord[]): readonly ShellWord[] {
  const words = withoutBundle(given);
  const has = (letters: RegExp, names: RegExp): boolean =>
    words.some(({ text }) => (/^-[^-]/.test(text) ? letters.test(text) : names.test(text)));
  const valuesOf = (letters: string, names: readonly string[]): readonly ShellWord[] =>
    readOptions({ letters, names, valued: TAR_VALUED }, words).values;
  const makes = has(/[cruA]/, /^--(cr|app|upd|conc|cat|del)/);
  const extracts = !makes && !has(/^-[a-zA-Z]*[td]/, /^--(li|diff|comp)/);
  // With absolute names it writes wherever the archive says.
  const anywhere = has(/P/, /^--abs/) ? [fixedWord("/")] : [];
  const places = [...valuesOf("C", ["directory", "one-top-level"]), ...anywhere];
  const notes = valuesOf("g", ["listed-incremental", "index-file"]);
  return [...(makes ? valuesOf("f", ["file"]) : []), ...(extracts ? places : []), ...notes];
}

/** `tar cfC out.tar dir` is `tar -c -f out.tar -C dir`: without a dash, values follow the bundle in its order. */
function withoutBundle(given: readonly ShellWord[]): readonly ShellWord[] {
  const [bundle, ...rest] = given;
  if (bundle === undefined || !/^[a-zA-Z]+$/.test(bundle.text)) return given;
  const values = rest.values();
  const options = [...bundle.text].flatMap((letter) => {
    const value = TAR_VALUED.includes(letter) ? values.next().value : undefined;
    return [{ ...bundle, text: `-${letter}` }, ...(value === undefined ? [] : [value])];
  });
  return [...options, ...values];
}

/** `7z x a.7z -odir`, `7z a out.7z files`. */
function sevenZipOutputs(given: readonly ShellWord[]): readonly ShellWord[] {
  const places = given.flatMap((word) => afterMatch(word, /^-o/));
  const [command, archive] = given.filter(({ text }) => !text.startsWith("-"));
  return /^[aud]|rn$/.test(command?.text ?? "") && archive !== undefined ? [...places, archive] : places;
}
