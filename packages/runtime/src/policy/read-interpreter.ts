import { type Launch, opaqueLaunch } from "./launch.ts";
import type { ShellWord } from "./shell-word.ts";

/** Programs that run code given as an argument or on standard input. */
const inlineCode: ReadonlyMap<string, RegExp> = new Map([
  ["node", /^(-[a-z]*[ep]|--eval|--print|(--[a-z-]+=)?data:)/],
  ["bun", /^(-[a-z]*[ep]|--eval|--print|exec$|(--[a-z-]+=)?data:)/],
  ["deno", /^(eval|repl)$/],
  ["perl", /^-[a-zA-Z0-9]*[eEMmd]/],
  ["ruby", /^-[a-z]*e/],
  ["php", /^(-[rBRE]|--run|--process)|auto_(ap|pre)pend_file/],
  ["python", /^-[a-zA-Z]*c/],
  ["pypy", /^-[a-zA-Z]*c/],
  ...[
    "osascript",
    "lua",
    "luajit",
    "Rscript",
    "R",
    "julia",
    "elixir",
    "iex",
    "erl",
    "ghc",
    "ghci",
    "scala",
    "groovy",
  ].map((name) => [name, /^--?e/] as const),
  ...[
    "raku",
    "racket",
    "guile",
    "clojure",
    "bb",
    "ts-node",
    "tsx",
    "tclsh",
    "expect",
    "jshell",
    "irb",
    "csh",
    "tcsh",
  ].map((name) => [name, /^--?[ec]/] as const),
  ...["pwsh", "powershell", "nu", "xonsh", "elvish", "yash", "mksh"].map((name) => [name, /^--?[ce]/i] as const),
]);
/** Files through which a program reads its standard input, or other open descriptors. */
const DEVICE = /(^|\/)(stdin|fd\/\d+|tty|pts\/\d+)$/;

/** Whether the program comes from standard input or a descriptor, so the line does not show it. */
export function isStandardInput(word: string): boolean {
  return word === "-" || DEVICE.test(word);
}

/** `node -e text` and a bare `node` run code not analysed here; `node file` is an ordinary command. */
export function readInterpreter(program: string, words: readonly ShellWord[]): Launch {
  const name = program.replace(/^(python|pypy|lua|perl|ruby|php)[\d.]+$/, "$1");
  const inline = inlineCode.get(name);
  if (inline === undefined) return { shown: true };
  const given = words.slice(1);
  const file = given.find(({ text }) => !text.startsWith("-") || text === "-");
  const onlyTells = given.some(({ text }) => /^(-v|-V|--version|--help|-m|--test)$/.test(text));
  const isHidden = file === undefined ? !onlyTells : !file.fixed || isStandardInput(file.text);
  return isHidden || runsModule(given) || given.some(({ text }) => inline.test(text))
    ? opaqueLaunch(words, `code for \`${name}\``)
    : { shown: true };
}

/** Python modules that run code they are given: `python3 -m timeit 'code'`. */
function runsModule(given: readonly ShellWord[]): boolean {
  const at = given.findIndex(({ text }) => /^-[a-zA-Z]*m/.test(text));
  const module = given[at]?.text.replace(/^-[a-zA-Z]*?m/, "") || (given[at + 1]?.text ?? "");
  return at !== -1 && /^(code|asyncio|timeit|pdb|idlelib|trace|runpy|cProfile|profile)$/.test(module);
}
