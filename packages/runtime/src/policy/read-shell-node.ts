import {
  type For,
  forEachChild,
  type ParsedScript,
  type Pipeline,
  type Redirected,
  type Subshell,
  type SyntaxNode,
} from "unbash";
import { readRedirection } from "./read-redirection.ts";
import { notUnderstood, readShellWord } from "./read-shell-word.ts";
import { readSimpleCommand } from "./read-simple-command.ts";
import type { ShellWalk } from "./shell-findings.ts";
import { isOwnVariable } from "./shell-variables.ts";
import type { ShellWord } from "./shell-word.ts";

export const MAX_DEPTH = 8;
/** Display names of constructs that are not understood. */
const unreadNames: Readonly<Record<string, string>> = {
  Case: "`case`",
  Select: "`select`",
  Function: "a function",
  Coproc: "`coproc`",
  TestCommand: "`[[`",
  ArithmeticCommand: "arithmetic",
  ArithmeticFor: "arithmetic",
};

/** Only what is listed here is understood. */
export function readNode(node: SyntaxNode, walk: ShellWalk): void {
  switch (node.type) {
    case "Script":
      return readScript(node, walk);
    case "Subshell":
      return readSubshell(node, walk);
    case "Statement":
    case "CompoundList":
    case "BraceGroup":
    case "AndOr":
    case "If":
    case "Elif":
    case "Negation":
      return forEachChild(node, (child) => readNode(child, walk));
    case "While":
      return forEachChild(node, (child) => readNode(child, { ...walk, repeats: true }));
    case "For":
      return readFor(node, walk);
    case "Pipeline":
      return readPipeline(node, walk);
    case "Redirected":
      return readRedirected(node, walk);
    case "Command":
      return readSimpleCommand(node, walk);
    case "Word":
      return void readShellWord(node, walk);
    case "Redirect":
    case "HereString":
    case "HereDoc":
      return readRedirection(node, walk);
    default:
      return readUnread(node, walk);
  }
}

function readScript(script: ParsedScript, walk: ShellWalk): void {
  if ((script.errors?.length ?? 0) > 0) walk.found.opaque.push("a line that does not parse");
  readDeeper(script.commands, { ...walk, source: script.source ?? walk.source });
}

/** Directly after a word such as `!` or `do`, some shells read a parenthesis as a pattern. */
function readSubshell({ pos, body }: Subshell, walk: ShellWalk): void {
  let at = pos - 1;
  while (/[ \t]/.test(walk.source.charAt(at))) at -= 1;
  if (!/^[\n;&|(`]?$/.test(walk.source.charAt(at))) walk.found.opaque.push("a parenthesis behind a word");
  readDeeper([body], walk);
}

function readDeeper(nodes: readonly SyntaxNode[], walk: ShellWalk): void {
  if (walk.depth > MAX_DEPTH) return void walk.found.opaque.push("commands that are too deep");
  for (const node of nodes) readNode(node, { ...walk, depth: walk.depth + 1 });
}

/** A loop's variable is set like an assignment. */
function readFor({ name, wordlist = [], body }: For, walk: ShellWalk): void {
  if (!isOwnVariable(name.text)) walk.found.opaque.push(`a variable is set: ${name.value}`);
  const values = wordlist.map((word) => readShellWord(word, walk));
  if (values.some(isInstruction)) walk.found.opaque.push("a loop over what may be options or code");
  readNode(body, { ...walk, repeats: true });
}

/** Values that must not replace a computed word: options, and subscripts that are evaluated. */
function isInstruction({ text, spread }: ShellWord): boolean {
  return /^-|[$`]/.test(text) || (spread && /[{,]-/.test(text));
}

/** In dash, `time` is a program with options, so it is read as one. */
function readPipeline({ prefixes, commands }: Pipeline, walk: ShellWalk): void {
  const time = prefixes.find((prefix) => prefix.type === "Time");
  const [first, ...others] = commands;
  if (time !== undefined && first?.type === "Command") {
    const option = time.posix === undefined ? [] : ["-p"];
    readSimpleCommand(first, walk, ["time", ...option]);
  } else {
    if (time !== undefined) walk.found.opaque.push("`time` of more than a command");
    if (first !== undefined) readNode(first, walk);
  }
  for (const command of others) readNode(command, walk);
}

function readRedirected({ command, redirects }: Redirected, walk: ShellWalk): void {
  readNode(command, walk);
  for (const redirection of redirects) readRedirection(redirection, walk);
}

function readUnread(node: SyntaxNode, walk: ShellWalk): void {
  notUnderstood(node, unreadNames[node.type] ?? "a construct that is not known", walk);
  // In dash these are a program and two subshells, whose commands end at the next operator.
  if (node.type === "TestCommand") walk.readHidden(walk.source.slice(node.pos + 2, node.end - 2), walk);
  if (node.type === "ArithmeticCommand") walk.readHidden(node.body, walk);
}
