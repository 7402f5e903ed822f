import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";
import { root } from "../lint-planted.ts";
import { isNode, type Node, nodesOf } from "./syntax-nodes.ts";

/** A regular expression of a source file. */
export interface Expression {
  readonly source: string;
  readonly flags: string;
  /** Where it stands: `packages/…/file.ts:12`. */
  readonly at: string;
}

export interface Expressions {
  readonly written: readonly Expression[];
  /** Where `new RegExp` stands in code that loading the sources does not run, so that nothing is known of what it makes. */
  readonly composed: readonly string[];
  /** A string where JavaScript makes an expression of it in silence: `text.match("a+")`. */
  readonly hidden: readonly string[];
}

const recorder = fileURLToPath(new URL("record-expressions.ts", import.meta.url));

/** The sources that are shipped: tests and what serves only these are left out. */
export function shippedSources(): readonly string[] {
  return globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !/\.test\.tsx?$|\.contract\.ts$|\.d\.ts$|\/testing\/|\/agent-api\/generated\//.test(path))
    .sort();
}

/** Every regular expression of these files: literals by parsing, composed ones by loading the files that have any. */
export function collectExpressions(files: readonly string[], directory = root): Expressions {
  const parsed = files.map((file) => collectFrom(file, readFileSync(join(directory, file), "utf8")));
  const composedIn = files.filter((_, index) => (parsed[index]?.made.length ?? 0) > 0);
  const recorded = recordComposed(composedIn, directory);
  const known = new Set(recorded.map(({ at }) => at));
  return {
    written: [...parsed.flatMap(({ literals }) => literals), ...recorded],
    composed: parsed.flatMap(({ made }) => made).filter((at) => !known.has(at)),
    hidden: parsed.flatMap(({ hidden }) => hidden),
  };
}

function collectFrom(file: string, text: string): { literals: Expression[]; made: string[]; hidden: string[] } {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`);
  const found = { literals: [] as Expression[], made: [] as string[], hidden: [] as string[] };
  for (const node of nodesOf(program as unknown as Node)) {
    const at = `${file}:${text.slice(0, node.start).split("\n").length}`;
    const { regex } = node as { regex?: { pattern: string; flags: string } };
    if (node.type === "Literal" && regex) found.literals.push({ source: regex.pattern, flags: regex.flags, at });
    if (makesExpression(node)) found.made.push(at);
    if (hidesExpression(node)) found.hidden.push(at);
  }
  return found;
}

function makesExpression({ type, callee }: Node): boolean {
  if (type !== "NewExpression" && type !== "CallExpression") return false;
  return isNode(callee) && callee.type === "Identifier" && callee["name"] === "RegExp";
}

function hidesExpression({ type, callee, arguments: given }: Node): boolean {
  if (type !== "CallExpression" || !isNode(callee) || !isNode(callee["property"])) return false;
  if (!["match", "matchAll", "search"].includes(String(callee["property"]["name"]))) return false;
  const first = (given as unknown[] | undefined)?.[0];
  return (
    isNode(first) &&
    (first.type === "TemplateLiteral" ||
      (first.type === "Literal" &&
        first["regex"] === undefined &&
        typeof first["value"] === "string" &&
        callee["property"]["name"] !== "search"))
  );
}

function recordComposed(files: readonly string[], directory: string): readonly Expression[] {
  if (files.length === 0) return [];
  const ran = spawnSync(process.execPath, [recorder, directory, ...files], { encoding: "utf8", maxBuffer: 1e8 });
  if (ran.status !== 0) throw new Error(`The recorder of expressions ended with ${ran.status}: ${ran.stderr}`);
  return JSON.parse(ran.stdout) as Expression[];
}
