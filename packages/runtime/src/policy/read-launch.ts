import type { ShellWord } from "./shell-cursor.ts";

/** What a command is about: itself, and what it starts. */
export interface Launch {
  /** Does the command itself count, or only what it starts? */
  readonly shown: boolean;
  /** The command without options that stand between its name and what it is to do. */
  readonly words?: readonly ShellWord[];
  /** Commands it starts. */
  readonly inner?: readonly (readonly ShellWord[])[];
  /** A text that it reads as a line of shell. */
  readonly source?: string;
  /** Why nobody can know what it does. */
  readonly opaque?: string;
}

interface Wrapper {
  /** Does it matter by itself, as `sudo` does? */
  readonly shown?: boolean;
  /** Options without a value, options with one, and how many words come before the command. */
  readonly flags?: RegExp;
  readonly valued?: RegExp;
  readonly operands?: number;
}

/** Commands whose one purpose is to start another. An option that is not listed makes them opaque. */
const wrappers: ReadonlyMap<string, Wrapper> = new Map(
  Object.entries<Wrapper>({
    sudo: { shown: true, flags: /^-[EnHbkS]+$/ },
    doas: { shown: true, flags: /^-n$/ },
    env: { flags: /^(-i|-|--ignore-environment)$/, valued: /^-u$/ },
    nohup: {},
    setsid: { flags: /^-[cfw]+$/ },
    command: { flags: /^-p$/ },
    builtin: {},
    exec: { flags: /^-[cl]+$/ },
    nice: { flags: /^-\d+$/, valued: /^-n$/ },
    ionice: { flags: /^-[cn]\d$/, valued: /^-[cn]$/ },
    stdbuf: { flags: /^-[ioe][L0]$/ },
    timeout: { flags: /^(--foreground|--preserve-status|-v)$/, valued: /^-[ks]$/, operands: 1 },
    xargs: { flags: /^(-[0rtpx]+|-[nPL]\d+|-I\S+|--null|--no-run-if-empty)$/, valued: /^-[nPLIdEs]$/ },
    busybox: {},
    time: { flags: /^-p$/ },
  }),
);

/** Commands that start others in a way of their own. */
const readers: readonly (readonly [RegExp, (words: readonly ShellWord[]) => Launch])[] = [
  [/^(sh|bash|dash|zsh|ksh|ash|fish)$/, readShell],
  [/^eval$/, readEval],
  [/^(find|fd)$/, readFind],
  [/^git$/, readGit],
  [/^[gm]?awk$/, readAwk],
  [/^(parallel|watch|script)$/, (words) => opaque(words, "a command that runs others in a way of its own")],
];
/** Programs that run a text they get as an argument or on their standard input. */
const inlineCode: ReadonlyMap<string, RegExp> = new Map([
  ["node", /^(-e|-p|-pe|--eval|--print)$/],
  ["bun", /^(-e|--eval|-p)$/],
  ["deno", /^eval$/],
  ["perl", /^-[a-zA-Z0]*[eE]/],
  ["ruby", /^-[a-z]*e/],
  ["php", /^-r$/],
  ["python", /^-c/],
  ["osascript", /^-e$/],
]);

/** What one command starts. Commands that start others in ways not listed here are taken for what they seem to be. */
export function readLaunch(words: readonly ShellWord[]): Launch {
  const name = programName(words[0]?.text ?? "");
  const wrapper = wrappers.get(name);
  if (wrapper !== undefined) return isLookUp(words) ? { shown: true } : unwrap(name, wrapper, words);
  const read = readers.find(([names]) => names.test(name))?.[1];
  return read === undefined ? readInterpreter(name.replace(/^python[\d.]+$/, "python"), words) : read(words);
}

/** `command -v` only looks a name up. */
function isLookUp([first, second]: readonly ShellWord[]): boolean {
  return first?.text === "command" && /^-[vV]$/.test(second?.text ?? "");
}

/** `/bin/rm` is `rm`. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

function opaque(words: readonly ShellWord[], reason: string): Launch {
  return { shown: true, words, opaque: reason };
}

function unwrap(
  name: string,
  { shown = false, flags, valued, operands = 0 }: Wrapper,
  words: readonly ShellWord[],
): Launch {
  let start = 1;
  for (let word = words[start]; word?.text.startsWith("-") && word.text !== "--"; word = words[start]) {
    const hasValue = valued?.test(word.text) ?? false;
    if (!word.fixed || !(hasValue || flags?.test(word.text))) return opaque(words, `an option of \`${name}\``);
    start += hasValue ? 2 : 1;
  }
  if (words[start]?.text === "--") start += 1;
  const inner = words.slice(start + operands);
  if (inner.length === 0) return { shown: true };
  // What xargs adds comes from its input.
  const added: readonly ShellWord[] = name === "xargs" ? [{ text: "", fixed: false, quoted: false, spread: true }] : [];
  return { shown, inner: [[...inner, ...added]] };
}

/** `sh -c 'text'` runs the text; `sh file` is a command like any other; a bare `sh` runs what it is sent. */
function readShell(words: readonly ShellWord[]): Launch {
  const at = words.findIndex(({ text }, index) => index > 0 && !text.startsWith("-"));
  const options = words.slice(1, at === -1 ? undefined : at);
  const operand = at === -1 ? undefined : words[at];
  if (
    options.some(({ text, fixed }) => !fixed || !/^-[a-z]+$/.test(text) || /[so]/.test(text)) ||
    operand === undefined
  )
    return opaque(words, "a shell that gets its commands elsewhere");
  if (!options.some(({ text }) => text.includes("c"))) return { shown: true };
  return operand.fixed ? { shown: false, source: operand.text } : opaque(words, "a shell with a computed text");
}

function readEval(words: readonly ShellWord[]): Launch {
  const texts = words.slice(1);
  if (texts.some(({ fixed, spread }) => !fixed || spread)) return opaque(words, "`eval` of a computed text");
  return { shown: false, source: texts.map(({ text }) => text).join(" ") };
}

function readFind(words: readonly ShellWord[]): Launch {
  const inner: (readonly ShellWord[])[] = [];
  for (const [index, { text }] of words.entries()) {
    if (/^(-delete|-fprint.*|-fls)$/.test(text)) inner.push([{ text: "rm", fixed: true, quoted: true, spread: false }]);
    if (!/^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(text)) continue;
    const rest = words.slice(index + 1);
    const end = rest.findIndex((word) => word.text === ";" || word.text === "+");
    inner.push(end === -1 ? rest : rest.slice(0, end));
  }
  return { shown: true, inner };
}

/** `git -C place push` is a push. `-c` sets what git runs for itself. */
function readGit(words: readonly ShellWord[]): Launch {
  let start = 1;
  for (let word = words[start]; word?.text.startsWith("-"); word = words[start]) {
    if (!/^(-C|--no-pager|-P|--git-dir|--work-tree|--version|--help)(=.*)?$/.test(word.text))
      return opaque(words, "an option of `git`");
    start += /^(-C|--git-dir|--work-tree)$/.test(word.text) ? 2 : 1;
  }
  return { shown: true, words: [...words.slice(0, 1), ...words.slice(start)] };
}

function readAwk(words: readonly ShellWord[]): Launch {
  const isPlain = words.every(({ text, fixed }) => fixed && !/system|getline|[|>]|^-[fielE]/.test(text));
  return isPlain ? { shown: true } : opaque(words, "a program of `awk` that may run commands or write files");
}

function readInterpreter(name: string, words: readonly ShellWord[]): Launch {
  const inline = inlineCode.get(name);
  if (inline === undefined) return { shown: true };
  const given = words.slice(1).map(({ text }) => text);
  const hasOperand = given.some((text) => !text.startsWith("-"));
  const readsInput =
    given.includes("-") || (!hasOperand && !given.some((text) => /^(-v|-V|--version|--help|-m|--test)$/.test(text)));
  return given.some((text) => inline.test(text)) || readsInput
    ? opaque(words, `code for \`${name}\``)
    : { shown: true };
}
