import { type Launch, opaqueLaunch } from "./launch.ts";
import type { ShellWord } from "./shell-word.ts";

const ADDRESS = /\s*(?:\d+(?:~\d+)?|\$|\/(?:[^\\/\n[]|\\.|\[[^\]/\n]*\])*\/[IM]*|[+~]\d+)\s*/y;

/** Commands that end a line or stand before a `;`, with what may follow them. */
const PLAIN = /(?:[pPdDhHgGxnN=zF{}]|[qQlL]\s*\d*|[btT]\s*[\w-]*|:\s*[\w-]+|[aicrR](?:[^\n\\]|\\[\s\S])*)\s*/y;

/**
 * Programs that do something else, and that run a command when an argument says so. GNU's programs take every beginning
 * of an option's name that is not ambiguous, so that beginnings are looked for.
 */
const launchingOptions: Readonly<Record<string, RegExp>> = {
  tar: /^(--(checkpoint-a|to-c|use-c|rsh|rmt|info-|new-v)|-?[a-zA-Z]*[IF])/,
  bsdtar: /^--(use-c|opt)/,
  sort: /^--co/,
  split: /^--fi/,
  install: /^--strip-p/,
  zip: /^(-[a-zA-Z]*T|--unz)/,
  rg: /^--(pre|hostname-bin)(=|$)/,
  make: /^(--ev|-E|SHELL=|MAKEFLAGS=|\.SHELLFLAGS=|-f-$|-$|.*\/dev\/)/,
  gmake: /^(--ev|-E|SHELL=|MAKEFLAGS=|\.SHELLFLAGS=|-f-$|-$|.*\/dev\/)/,
  npm: /^(-c|--call|--script-shell|--node-options|--git)(=|$)/,
  npx: /^(-c|--call|--script-shell|--node-options)(=|$)/,
  go: /^--?(tool)?exec(=|$)/,
  cargo: /^--config(=|$)/,
  gcc: /^(-wrapper|-B|-fplugin)/,
  sqlite3: /^\.|^-cmd|\n[^\S\n]*\.|\.(shell|system)/,
  psql: /\\/,
  mysql: /\\|system/,
  fd: /^(--exec|-[a-zA-Z]*[xX])./,
  fdfind: /^(--exec|-[a-zA-Z]*[xX])./,
};
/** Programs that run commands by themselves, or because of what they edit or attach to. */
const launchers: ReadonlySet<string> = new Set([
  ...["parallel", "watch", "watchexec", "entr", "script", "screen", "tmux", "dtach", "daemonize", "start-stop-daemon"],
  ...["unshare", "nsenter", "chroot", "setpriv", "setarch", "runuser", "systemd-run", "run-parts", "firejail", "bwrap"],
  ...["fakeroot", "faketime", "xvfb-run", "dbus-run-session", "strace", "ltrace", "gdb", "lldb", "valgrind", "perf"],
  ...["prlimit", "numactl", "rlwrap", "vi", "vim", "nvim", "view", "ex", "ed", "emacs", "m4", "dc"],
]);

/** The command with what an argument may make it run; undefined when it is none of these. */
export function readLaunchingOptions(name: string, words: readonly ShellWord[]): Launch | undefined {
  if (launchers.has(name)) return opaqueLaunch(words, `\`${name}\` runs commands in a way of its own`);
  if (/^g?sed$/.test(name)) return readSed(words);
  const option = Object.hasOwn(launchingOptions, name) ? launchingOptions[name] : undefined;
  if (option === undefined) return undefined;
  const found = words.slice(1).find((word) => option.test(word.text) || mayAddOptions(word));
  return found === undefined ? undefined : opaqueLaunch(words, `an argument of \`${name}\` that may run a command`);
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

/** A word that the shell may make several of, options among them. */
function mayAddOptions({ fixed, quoted }: ShellWord): boolean {
  return !fixed && !quoted;
}

/** Whether a script of sed only edits: its `e`, `w` and `s///e` run commands and write files. */
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

/** Behind `s/a/b/flags`; undefined when it does not end, or one of its flags runs or writes. */
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
