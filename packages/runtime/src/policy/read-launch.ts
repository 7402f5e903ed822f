import { type Launch, opaqueLaunch, programName } from "./launch.ts";
import { readLaunchingOptions } from "./launching-options.ts";
import { mayGiveOption } from "./long-option.ts";
import { isStandardInput, readInterpreter } from "./read-interpreter.ts";
import { fixedWord, type ShellWord } from "./shell-word.ts";
import { unwrapCommand } from "./unwrap-command.ts";

/** Commands that start others in their own way. */
const readers: readonly (readonly [RegExp, (words: readonly ShellWord[]) => Launch])[] = [
  [/^(r?bash|sh|dash|zsh|ksh|ash|fish)$/, readShell],
  [/^eval$/, readEval],
  [/^(find|fd|fdfind)$/, readFind],
  [/^git$/, readGit],
  [/^([gmn]|original-)?awk$/, readAwk],
];
/** Bash builtins that evaluate the subscript of a variable's name, including substitutions. */
const subscripted: ReadonlySet<string> = new Set(["printf", "test", "[", "unset", "wait"]);

/** What one command starts. For programs not listed here see `mayStartOthers`. */
export function readLaunch(words: readonly ShellWord[]): Launch {
  const name = programName(words[0]?.text ?? "");
  if (subscripted.has(name) && words.some(({ text }) => /\[[^\][]*[$`]/.test(text)))
    return opaqueLaunch(words, "a subscript that is evaluated");
  const read = readers.find(([names]) => names.test(name))?.[1];
  return (
    unwrapCommand(name, words) ?? readLaunchingOptions(name, words) ?? read?.(words) ?? readInterpreter(name, words)
  );
}

/** `sh -c 'text'` runs the text; `sh file` is an ordinary command; a bare `sh` runs its standard input. */
function readShell(words: readonly ShellWord[]): Launch {
  const at = words.findIndex(({ text }, index) => index > 0 && !/^[-+]/.test(text));
  const options = words.slice(1, at === -1 ? undefined : at);
  const operand = at === -1 ? undefined : words[at];
  const isOdd = options.some(({ text, fixed }) => !fixed || !/^[-+][a-z]+$/.test(text) || /[so]/.test(text));
  if (isOdd || operand === undefined) return opaqueLaunch(words, "a shell that gets its commands elsewhere");
  const isLine = options.some(({ text }) => /^-.*c/.test(text));
  if (!operand.fixed)
    // The known part of the text is still read: a rule may forbid a command in it.
    return { ...opaqueLaunch(words, "a shell with a computed text"), ...(isLine ? { source: operand.text } : {}) };
  if (isLine) return { shown: false, source: operand.text };
  return isStandardInput(operand.text) ? opaqueLaunch(words, "a shell that runs what it is sent") : { shown: true };
}

function readEval(words: readonly ShellWord[]): Launch {
  const texts = words.slice(words[1]?.text === "--" ? 2 : 1);
  if (texts.some(({ fixed, spread }) => !fixed || spread)) return opaqueLaunch(words, "`eval` of a computed text");
  return { shown: false, source: texts.map(({ text }) => text).join(" ") };
}

function readFind(words: readonly ShellWord[]): Launch {
  const inner: (readonly ShellWord[])[] = [];
  const roots = searchedPlaces(words);
  for (const [index, { text }] of words.entries()) {
    if (/^(-delete|-fprint.*|-fls)$/.test(text)) inner.push([fixedWord("rm")]);
    if (!/^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(text)) continue;
    const rest = words.slice(index + 1);
    const end = rest.findIndex((word) => word.text === ";" || word.text === "+");
    const started = end === -1 ? rest : rest.slice(0, end);
    for (const root of roots) inner.push(started.map((word) => withFound(word, root)));
  }
  const isComputed = words.some(({ fixed, quoted }) => !fixed && !quoted);
  const isElsewhere = words.some(({ text }) => /^-(exec|ok)dir$/.test(text));
  return { shown: true, inner, isElsewhere, ...(isComputed ? { opaque: "computed arguments of `find`" } : {}) };
}

/** The places `find` searches, other than its working directory; those of `fd` cannot be distinguished from its patterns. */
function searchedPlaces(words: readonly ShellWord[]): readonly (ShellWord | undefined)[] {
  const end = words.findIndex(({ text }, index) => index > 0 && /^([-(!]|\\[(!])/.test(text));
  const places = words.slice(1, end === -1 ? undefined : end).filter(({ text }) => text !== ".");
  return places.length === 0 ? [undefined] : places;
}

/** A found file's name replaces `{}`: it is somewhere below the place. Within a longer word it is unknown. */
function withFound(word: ShellWord, place: ShellWord | undefined): ShellWord {
  if (word.text === "{}") return place ?? word;
  return word.text.includes("{}") ? { ...word, fixed: false } : word;
}

/** `git -C dir push` is a push. `-c` can set programs that git runs. */
function readGit(words: readonly ShellWord[]): Launch {
  let start = 1;
  let isElsewhere = false;
  for (let word = words[start]; word?.text.startsWith("-"); word = words[start]) {
    isElsewhere ||= /^(-C|--git-dir|--work-tree)/.test(word.text);
    if (!/^(-C|--no-pager|-P|--git-dir|--work-tree|--version|--help)(=.*)?$/.test(word.text))
      return opaqueLaunch(words, "an option of `git`");
    start += /^(-C|--git-dir|--work-tree)$/.test(word.text) ? 2 : 1;
  }
  const rest = [...words.slice(0, 1), ...words.slice(start)];
  return runsCommands(words.slice(start))
    ? opaqueLaunch(rest, "a command that `git` is to run")
    : { shown: true, words: rest, isElsewhere };
}

const gitLaunching = "exec upload-pack receive-pack open-files-in-pager extcmd ext-diff".split(" ");
/** Options that bring a template's hooks into a repository. */
const gitMaking = ["config", "template"];

/** Whether options or words of git's commands name a program to run. */
function runsCommands([first, ...others]: readonly ShellWord[]): boolean {
  const isGiven = (names: readonly string[]): boolean => others.some(({ text }) => mayGiveOption(text, names));
  if (isGiven(gitLaunching) || others.some(({ text }) => text.startsWith("ext::"))) return true;
  const has = (pattern: RegExp): boolean => others.some(({ text }) => pattern.test(text));
  switch (first?.text) {
    case "bisect":
      return has(/^run$/);
    case "submodule":
      return has(/^foreach$/);
    case "rebase":
    case "difftool":
      return has(/^-[a-z]*x/);
    case "grep":
      return has(/^-[a-zA-Z]*O/);
    case "clone":
    case "fetch-pack":
    case "ls-remote":
      return has(/^-[a-z]*[uc]/) || isGiven(gitMaking);
    case "init":
      return isGiven(gitMaking);
    default:
      return /^(filter-branch|mergetool|submodule--helper|for-each-repo|shell)$/.test(first?.text ?? "");
  }
}

function readAwk(words: readonly ShellWord[]): Launch {
  const isPlain = words.every(
    ({ text, fixed }) =>
      fixed &&
      !/system|getline|[|>@]|^-[^-vF]*[fielEW]/.test(text) &&
      !mayGiveOption(text, ["file", "include", "load", "exec"]),
  );
  return isPlain ? { shown: true } : opaqueLaunch(words, "a program of `awk` that may run commands or write files");
}
