import { type Launch, opaqueLaunch } from "./launch.ts";
import { isPlainSedScript } from "./sed-script.ts";
import type { ShellWord } from "./shell-cursor.ts";

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
  sqlite3: /^\.|^-cmd|\n\s*\.|\.(shell|system)/,
  psql: /\\/,
  mysql: /\\|system/,
  fd: /^(--exec|-[a-zA-Z]*[xX])./,
  fdfind: /^(--exec|-[a-zA-Z]*[xX])./,
};
/** Programs that run commands in ways of their own, or are told to by what they edit or attach to. */
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
