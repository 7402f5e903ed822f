import { forEachChild, type ParsedScript, type SyntaxNode } from "unbash";

interface Account {
  /** Words, assignments, and redirections with their here-documents: their content is checked where they are read. */
  readonly leaves: (readonly [number, number])[];
  /** The operators and keywords that, by the tree, stand between the leaves. */
  readonly tokens: string[];
}

const COMMENT = /(^|[\s;&|(){}])#[^\n]*/g;
/** Occurs in no source. */
const UNKNOWN = "unknown construct";
const TOKEN = /&&|\|\||\|&|[a-z]+|./gs;

/**
 * Whether the tree accounts for every character of a part of the source. The parser tolerates mistakes and drops what does not fit,
 * sometimes without an error: such a line is not understood.
 */
export function isAccountedFor(script: ParsedScript, source: string, from: number, to: number): boolean {
  const account: Account = { leaves: [], tokens: [] };
  for (const command of script.commands) addNode(command, account);
  const between = textBetween(account.leaves, source, from, to);
  const found = between.replaceAll("\\\n", " ").replace(COMMENT, "$1").match(TOKEN) ?? [];
  return sorted(found.filter((token) => !/^[\s;\0]$/.test(token))) === sorted(account.tokens);
}

function sorted(tokens: readonly string[]): string {
  return tokens.toSorted().join(" ");
}

/** Replaces each leaf by a NUL, which cannot occur otherwise. */
function textBetween(leaves: Account["leaves"], source: string, from: number, to: number): string {
  let at = from;
  let text = "";
  for (const [pos, end] of leaves.toSorted(([one], [other]) => one - other)) {
    text += `${source.slice(at, Math.max(at, pos))}\0`;
    at = Math.max(at, end);
  }
  return text + source.slice(at, to);
}

function addNode(node: SyntaxNode, account: Account): void {
  switch (node.type) {
    case "Word":
    case "Assignment":
    case "Redirect":
    case "HereString":
    case "Negation":
    case "Time":
      return void account.leaves.push([node.pos, node.end]);
    case "HereDoc":
      return void account.leaves.push([node.pos, node.end], [node.body.pos, node.closing?.end ?? node.body.end]);
    default:
      return addConstruct(node, account);
  }
}

function addConstruct(node: SyntaxNode, account: Account): void {
  const tokens = tokensOf(node);
  account.tokens.push(...(tokens ?? [UNKNOWN]));
  if (tokens !== undefined) forEachChild(node, (child) => addNode(child, account));
}

/** Undefined for nodes that are not understood anyway. */
function tokensOf(node: SyntaxNode): readonly string[] | undefined {
  switch (node.type) {
    case "Command":
    case "CompoundList":
    case "Redirected":
      return [];
    case "Statement":
      return node.background === true ? ["&"] : [];
    case "AndOr":
    case "Pipeline":
      return node.operators;
    case "Subshell":
      return ["(", ")"];
    case "BraceGroup":
      return ["{", "}"];
    case "If":
      return ["if", "then", ...(node.else === undefined ? [] : ["else"]), "fi"];
    case "Elif":
      return ["elif", "then"];
    case "While":
      return [node.kind, "do", "done"];
    case "For":
      return ["for", ...(node.wordlist === undefined ? [] : ["in"]), "do", "done"];
    default:
      return undefined;
  }
}
