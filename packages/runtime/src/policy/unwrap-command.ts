import { type Launch, opaqueLaunch } from "./launch.ts";
import type { ShellWord } from "./shell-word.ts";

interface Wrapper {
  /** Whether the wrapper itself matters, as `sudo` does. */
  readonly shown?: boolean;
  /** Options without a value, options with one, and the number of words before the command. */
  readonly flags?: RegExp;
  readonly valued?: RegExp;
  readonly operands?: number;
  /** Options that change the environment or the lookup of the command. */
  readonly changing?: RegExp;
}

/** Commands whose only purpose is to start another. An unlisted option makes them opaque. */
const wrappers: ReadonlyMap<string, Wrapper> = new Map(
  Object.entries<Wrapper>({
    sudo: { shown: true, flags: /^-[EnHbkS]+$/ },
    doas: { shown: true, flags: /^-n$/ },
    pkexec: { shown: true },
    env: { flags: /^(-i|-|--ignore-environment)$/, valued: /^-u$/, changing: /^-/ },
    nohup: {},
    setsid: { flags: /^-[cfw]+$/ },
    command: { flags: /^-p$/, changing: /^-p$/ },
    builtin: {},
    exec: { flags: /^-[cl]+$/, changing: /^-/ },
    nice: { flags: /^(-\d+|-n-?\d+)$/, valued: /^-n$/ },
    ionice: { flags: /^(-[cn]\d|-t)$/, valued: /^-[cn]$/ },
    chrt: { flags: /^-[abfior]+$/, operands: 1 },
    taskset: { flags: /^-a$/, valued: /^-c$/, operands: 1 },
    stdbuf: { flags: /^-[ioe][L0]$/, valued: /^-[ioe]$/ },
    timeout: { flags: /^(--foreground|--preserve-status|-v)$/, valued: /^-[ks]$/, operands: 1 },
    xargs: { flags: /^(-[0rtpx]+|-[nPL]\d+|-I\S+|--null|--no-run-if-empty)$/, valued: /^-[nPLIdEs]$/ },
    flock: { flags: /^-[snuexoF]+$/, valued: /^-[wE]$/, operands: 1 },
    busybox: {},
    toybox: {},
    chronic: {},
    unbuffer: { flags: /^-p$/ },
    time: { flags: /^-p$/ },
  }),
);

/** The command a wrapper starts; undefined if it is not a wrapper. */
export function unwrapCommand(name: string, words: readonly ShellWord[]): Launch | undefined {
  const wrapper = wrappers.get(name);
  if (wrapper === undefined) return undefined;
  if (isLookUp(name, words)) return { shown: true };
  const start = skipOptions(wrapper, words);
  if (start === undefined) return opaqueLaunch(words, `an option of \`${name}\``);
  // With `-c` instead of a number, `taskset` has no operand of its own.
  const hasOperand = !(name === "taskset" && words.slice(1, start).some(({ text }) => text === "-c"));
  const inner = words.slice(start + (hasOperand ? (wrapper.operands ?? 0) : 0));
  if (inner.length === 0) return { shown: true };
  if (name === "flock" && /^(-c|--command)$/.test(inner[0]?.text ?? "")) return readLockedLine(words, inner[1]);
  const options = words.slice(1, start);
  const added = name === "xargs" ? withInput(inner, options) : inner;
  return { shown: wrapper.shown ?? false, inner: [added], ...changeBy(wrapper, name, options) };
}

/** An option may make the same name resolve to another program. */
function changeBy({ changing }: Wrapper, name: string, options: readonly ShellWord[]): Pick<Launch, "opaque"> {
  const changes = options.some(({ text }) => text !== "--" && changing?.test(text));
  return changes ? { opaque: `an option of \`${name}\` that changes what the command is` } : {};
}

/** `command -v` only looks up a name. */
function isLookUp(name: string, [, second]: readonly ShellWord[]): boolean {
  return name === "command" && /^-[vV]$/.test(second?.text ?? "");
}

/** Index of the first word after the options; undefined for an unknown option. */
function skipOptions({ flags, valued }: Wrapper, words: readonly ShellWord[]): number | undefined {
  let start = 1;
  for (let word = words[start]; word?.text.startsWith("-") && word.text !== "--"; word = words[start]) {
    const hasValue = valued?.test(word.text) ?? false;
    if (!word.fixed || !(hasValue || flags?.test(word.text))) return undefined;
    start += hasValue ? 2 : 1;
  }
  return words[start]?.text === "--" ? start + 1 : start;
}

/** `flock file -c 'line'`. */
function readLockedLine(words: readonly ShellWord[], line: ShellWord | undefined): Launch {
  return line?.fixed === true ? { shown: false, source: line.text } : opaqueLaunch(words, "a computed line of `flock`");
}

/** Input of xargs replaces `-I`'s text wherever it occurs; otherwise it is appended. */
function withInput(inner: readonly ShellWord[], options: readonly ShellWord[]): readonly ShellWord[] {
  const at = options.findLastIndex(({ text }) => text.startsWith("-I"));
  if (at === -1) return [...inner, { text: "", fixed: false, quoted: false, spread: true }];
  const mark = options[at]?.text.slice(2) || (options[at + 1]?.text ?? "");
  return inner.map((word) => (word.text.includes(mark) ? { ...word, fixed: false } : word));
}
