import type { HereDoc, Redirect, Redirection } from "unbash";
import { notUnderstood, readShellWord } from "./read-shell-word.ts";
import type { ShellWalk } from "./shell-findings.ts";

const OPERATOR = /^(\d|\{\w+\})?[<>&|-]+[ \t]*$/;
const PLAIN_DELIMITER = /^([\w.-]+|'[\w. -]+'|"[\w. -]+"|\\\w+)$/;
/** Not files: bash connects to another machine. */
const CONNECTION = /^\/dev\/(tcp|udp)\//;

export function readRedirection(redirection: Redirection, walk: ShellWalk): void {
  const { descriptor } = redirection;
  if (descriptor?.type === "FileDescriptorVariable") walk.found.opaque.push("a redirection that sets a variable");
  // In dash, several digits in front of it are a word.
  else if (descriptor !== undefined && descriptor.value > 9)
    walk.found.opaque.push("a number that may be a descriptor or a word");
  const target = redirection.type === "HereDoc" ? redirection.delimiter : redirection.target;
  if (!OPERATOR.test(walk.source.slice(redirection.pos, target?.pos)))
    walk.found.opaque.push("a redirection that is not known as a whole");
  if (redirection.type === "HereDoc") readHereDocument(redirection, walk);
  else readTarget(redirection, walk);
}

function readTarget(redirection: Exclude<Redirection, HereDoc>, walk: ShellWalk): void {
  const { found } = walk;
  if (redirection.target === undefined) return void found.opaque.push("a redirection without a target");
  const target = readShellWord(redirection.target, walk);
  if (redirection.type === "HereString" || redirection.operator === "<&") return;
  if (CONNECTION.test(target.text)) found.opaque.push("a connection to another machine");
  if (redirection.operator === "<") found.reads.push(target);
  else if (!isDescriptorTarget(redirection, target.text)) found.writes.push(target);
}

function isDescriptorTarget({ operator }: Redirect, text: string): boolean {
  return operator === ">&" && /^(\d+|-)$/.test(text);
}

/** The body is data, except that substitutions in it run if the delimiter is unquoted. */
function readHereDocument({ delimiter, body, closing }: HereDoc, walk: ShellWalk): void {
  const { opaque } = walk.found;
  if (delimiter === undefined || !PLAIN_DELIMITER.test(delimiter.text))
    opaque.push("a here-document whose end is not plain");
  if (closing === undefined) opaque.push("a here-document that does not end");
  if (delimiter?.quoted === true) return walk.noteLiteral(body.pos, body.end);
  if (mayEndEarlier(body.text, delimiter?.value ?? "")) {
    opaque.push("a here-document whose end may be on a joined line");
    walk.readHidden(body.text, walk);
  }
  const isPlain = (body.parts ?? []).every(({ type }) => type === "Literal" || type === "SimpleExpansion");
  if (!isPlain) notUnderstood(body, "a substitution in a here-document", walk);
}

/** Shells join continued lines either before or after looking for the end. */
function mayEndEarlier(body: string, delimiter: string): boolean {
  if (!body.includes("\\\n")) return false;
  const joined = body.replaceAll("\\\n", "").split("\n");
  return body.endsWith("\\\n") || joined.some((line) => line.replaceAll("\t", "") === delimiter);
}
