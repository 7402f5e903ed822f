import { type Launch, opaqueLaunch } from "./launch.ts";
import { mayGiveOption } from "./long-option.ts";
import type { ShellWord } from "./shell-word.ts";

const ADDRESS = /\s*(?:\d+(?:~\d+)?|\$|\/(?:[^\\/\n[]|\\.|\[[^\]/\n]*\])*\/[IM]*|[+~]\d+)\s*/y;

/** sed commands at the end of a line or before a `;`, with their arguments. */
const PLAIN = /(?:[pPdDhHgGxnN=zF{}]|[qQlL]\s*\d*|[btT]\s*[\w-]*|:\s*[\w-]+|[aicrR](?:[^\n\\]|\\[\s\S])*)\s*/y;

interface LaunchingOptions {
  /** Long options that can be abbreviated, and full names of others that an abbreviation could match. */
  readonly names?: readonly string[];
  readonly others?: readonly string[];
  readonly texts?: RegExp;
}

const make: LaunchingOptions = {
  names: ["eval"],
  texts: /^(-E|SHELL=|(GNU)?MAKEFLAGS=|\.SHELLFLAGS=|-[a-zA-Z]*f-$|--[a-z]+=-$|-$|.*\/dev\/)/,
};
const npm: LaunchingOptions = {
  names: ["call", "script-shell", "shell-mode", "node-options", "git"],
  others: ["c", "s"],
  texts: /^-c(=|$)/,
};
const compiler: LaunchingOptions = { texts: /^(-wrapper|-B|-fplugin|-load|-specs|--specs)/ };
const fd: LaunchingOptions = { texts: /^(--exec|-[a-zA-Z]*[xX]).|^-[a-zA-Z]+[xX]$/ };
const mysql: LaunchingOptions = { names: ["pager", "tee"], texts: /\\|system|outfile|dumpfile/i };
/** Programs that run a command only if an argument says so. */
const launchingOptions: Readonly<Record<string, LaunchingOptions>> = {
  tar: {
    names:
      "checkpoint-action to-command use-compress-program rsh-command rmt-command info-script new-volume-script".split(
        " ",
      ),
    others: ["checkpoint"],
    // An archive `host:file` is on another machine.
    texts: /^-?[a-zA-Z]*[IF]|^[^/:]*:/,
  },
  bsdtar: { names: ["use-compress-program", "options"] },
  cpio: { names: ["rsh-command"], texts: /^[^/:]*:/ },
  sort: { names: ["compress-program"] },
  split: { names: ["filter"] },
  install: { names: ["strip-program"], others: ["strip"] },
  zip: { names: ["unzip-command"], texts: /^-[a-zA-Z]*T/ },
  rg: { texts: /^--(pre|hostname-bin)(=|$)/ },
  man: { names: ["pager", "html", "config-file"], texts: /^-[a-zA-Z]*[PHC]/ },
  make,
  gmake: make,
  npm,
  pnpm: npm,
  npx: npm,
  go: { texts: /^--?((tool)?exec|vettool)(=|$)/ },
  cargo: { texts: /^--config(=|$)/ },
  ...Object.fromEntries(["gcc", "g++", "cc", "c++", "clang", "clang++", "cpp"].map((name) => [name, compiler])),
  sqlite3: { texts: /^\.|^--?(cmd|init)|\n[^\S\n]*\.|\.(shell|system)|writefile|\b(attach|vacuum)\b/i },
  psql: { texts: /\\|\bcopy\b/i },
  mysql,
  mariadb: mysql,
  fd,
  fdfind: fd,
};
/** Programs that run commands by themselves, or because of what they edit or attach to. */
const launchers: ReadonlySet<string> = new Set([
  ...["parallel", "watch", "watchexec", "entr", "script", "screen", "tmux", "dtach", "daemonize", "start-stop-daemon"],
  ...["unshare", "nsenter", "chroot", "setpriv", "setarch", "runuser", "systemd-run", "run-parts", "firejail", "bwrap"],
  ...["fakeroot", "faketime", "xvfb-run", "dbus-run-session", "strace", "ltrace", "gdb", "lldb", "valgrind", "perf"],
  ...["prlimit", "numactl", "rlwrap", "vi", "vim", "nvim", "view", "ex", "ed", "emacs", "m4", "dc"],
]);

/** The command plus what an argument may make it run; undefined if it is not listed. */
export function readLaunchingOptions(name: string, words: readonly ShellWord[]): Launch | undefined {
  if (launchers.has(name)) return opaqueLaunch(words, `\`${name}\` runs commands in a way of its own`);
  if (/^g?sed$/.test(name)) return readSed(words);
  if (/^((file-|p)?rename)$/.test(name)) return readRename(words);
  const options = Object.hasOwn(launchingOptions, name) ? launchingOptions[name] : undefined;
  if (options === undefined) return undefined;
  const { names = [], others, texts } = options;
  const launches = ({ text }: ShellWord): boolean => texts?.test(text) === true || mayGiveOption(text, names, others);
  const found = words.slice(1).find((word) => launches(word) || mayAddOptions(word));
  return found === undefined ? undefined : opaqueLaunch(words, `an argument of \`${name}\` that may run a command`);
}

/** Two programs share this name: one replaces text, the other runs its first operand as Perl. */
function readRename(words: readonly ShellWord[]): Launch | undefined {
  const [expression] = words.slice(1).filter(({ text }) => !/^-./.test(text));
  const isGiven = words.some(({ text }) => /^-[a-zA-Z]*[eEfM]/.test(text) || mayGiveOption(text, ["expr"]));
  const text = expression?.fixed === true ? expression.text : "$(";
  const isPlain = /^[\w. -]*$/.test(text) || /^(s|y|tr)\/[\w.\\^+*? -]*\$?\/[\w. -]*\/g?i?$/.test(text);
  return isPlain && !isGiven ? undefined : opaqueLaunch(words, "an expression of `rename` that may run commands");
}

const SED_OPTION =
  /^(-[nErsz]*(i\S*)?|--(quiet|silent|regexp-extended|null-data|separate|in-place(=.*)?|version|help))$/;

function readSed(words: readonly ShellWord[]): Launch | undefined {
  const scripts: (ShellWord | undefined)[] = [];
  const operands: ShellWord[] = [];
  const given = words.slice(1).values();
  let isKnown = true;
  for (const word of given) {
    if (/^(-[nErsz]*e|--expression)$/.test(word.text)) scripts.push(given.next().value);
    else if (word.text.startsWith("--expression=")) scripts.push({ ...word, text: word.text.slice(13) });
    else if (!/^-./.test(word.text)) operands.push(word);
    else isKnown &&= SED_OPTION.test(word.text);
  }
  if (scripts.length === 0) scripts.push(operands[0]);
  const isPlain = scripts.every((script) => script?.fixed === true && isPlainSedScript(script.text));
  return isPlain && isKnown && !operands.some(mayAddOptions)
    ? undefined
    : opaqueLaunch(words, "a script of `sed` that may run commands or write files");
}

/** Whether the shell may expand a word to several, including options. */
function mayAddOptions({ fixed, quoted }: ShellWord): boolean {
  return !fixed && !quoted;
}

/** Whether a sed script only edits: its `e`, `w` and `s///e` run commands and write files. */
function isPlainSedScript(script: string): boolean {
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(script)?.[0].length;
    at += found ?? 0;
    return found !== undefined;
  };
  while (at < script.length) {
    if (skip(/[\s;]+/y)) continue;
    if (skip(ADDRESS) && skip(/,/y)) skip(ADDRESS);
    skip(/\s*!\s*/y);
    const end = /[sy]/.test(script.charAt(at)) ? endOfSubstitution(script, at) : undefined;
    if (end !== undefined) at = end;
    else if (!skip(PLAIN)) return false;
  }
  return true;
}

/** The end of `s/a/b/flags`; undefined if unterminated, or if a flag runs or writes. */
function endOfSubstitution(script: string, start: number): number | undefined {
  const delimiter = script.charAt(start + 1);
  if (!/[/|#,:!@%_~^+]/.test(delimiter)) return undefined;
  let at = start + 2;
  for (let seen = 0; seen < 2; at += 1) {
    const character = script.charAt(at);
    if (character === "") return undefined;
    if (character === "\\") at += 1;
    else if (character === delimiter) seen += 1;
  }
  // Not every sed ends the pattern at a delimiter within brackets.
  if (new RegExp(`\\[[^\\][]*\\${delimiter}`).test(script.slice(start + 2, at))) return undefined;
  const flags = /^[gpiIM0-9]*\s*(?=[;}\n]|$)/.exec(script.slice(at))?.[0];
  return flags === undefined ? undefined : at + flags.length;
}
