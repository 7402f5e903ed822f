import { parseRecord } from "../json/json.ts";
import type { Content, Intent } from "./model.ts";
import { pathsIn, plainText } from "./prompt-text.ts";

/** A kind of request: what it looks like, and what it then means. Nothing means that it was something else after all. */
interface ClauseRule {
  readonly pattern: RegExp;
  readonly toIntents: (match: RegExpExecArray, clause: string) => readonly Intent[] | undefined;
}

const quote = "(`[^`]*`|\"[^\"]*\"|'[^']*')";

/** The first rule that fits decides, so the particular ones stand before the general ones. */
export const clauseRules: readonly ClauseRule[] = [
  {
    pattern:
      /\b(?:call|use|invoke)\b\s+(?:the\s+)?(?:mcp\s+)?(?:tool\s+)?[`"']?([\w:.-]+)[`"']?(?:\s+(?:mcp\s+)?tool)?\s+(?:with|using|on|and pass)\b[^{]*(\{[\s\S]*\})/i,
    toIntents: ([, tool = "", json = ""]) => {
      const args = parseRecord(json);
      return args === undefined ? undefined : [{ kind: "call", tool, args }];
    },
  },
  {
    pattern:
      /\b(?:call|use|invoke)\b\s+(?:the\s+)?(?:(?:mcp\s+)?tool\s+[`"']?([\w:.-]+)|[`"']?([\w:.-]+)[`"']?\s+(?:mcp\s+)?tool\b)/i,
    toIntents: ([, after, before], clause) => [
      { kind: "call", tool: after ?? before ?? "", args: { "": quotedIn(clause).at(-1) ?? "" } },
    ],
  },
  {
    pattern: /\b(?:sub-?agent|delegate)\b/i,
    toIntents: (_, clause) => [{ kind: "delegate", prompt: clause }],
  },
  {
    pattern: /\bask me\b\s*(.*)/is,
    toIntents: ([, question = ""], clause) => [
      { kind: "ask", question: plainText(question.split(/\s+using\b|\.\s/)[0] ?? ""), options: pathsIn(clause) },
    ],
  },
  {
    pattern: /\b(?:search the web|web ?search|google)\b(?:\s+for)?\s*(.+)/is,
    toIntents: ([, query = ""]) => [{ kind: "web-search", query: plainText(query) }],
  },
  {
    pattern: /(https?:\/\/[^\s`"'<>)]+)/i,
    toIntents: ([, url = ""], clause) =>
      /\b(?:fetch|open|visit|get|download|read|load|title)\b/i.test(clause)
        ? [{ kind: "fetch", url: url.replace(/[.,;!?]+$/, "") }]
        : undefined,
  },
  {
    pattern: new RegExp(
      `\\b(?:run|execute|exec)\\b[^\`]*?(?:${quote}|:\\s*(.+)$|(?:command|shell)\\s+(?!command)(.+)$)`,
      "is",
    ),
    toIntents: ([, quoted, afterColon, bare]) => [
      { kind: "run", command: plainText(quoted ?? afterColon ?? bare ?? "") },
    ],
  },
  {
    pattern: /^(?:please\s+)?run\s+(.+)$/is,
    toIntents: ([, command = ""]) => [{ kind: "run", command: plainText(command) }],
  },
  {
    pattern:
      /\b(?:append|add(?=\s+(?:the\s+(?:line|text|words?)\b|[`"'])))\s+(?:the\s+(?:line|text|words?)\s+)?(.+?)\s+(?:to|at)\s+(?:the\s+)?(?:end\s+of\s+)?(?:the\s+)?(?:file\s+)?(\S+)\s*$/is,
    toIntents: ([, text = "", target = ""]) => appendTo(pathsIn(target)[0], plainText(text)),
  },
  {
    pattern: /\b(?:change|replace|rename|substitute|edit)\b([\s\S]+)/i,
    toIntents: ([, rest = ""], clause) => replaceIn(rest, clause),
  },
  {
    pattern: /\b(?:copy)\s+(\S+)\s+(?:in)?to\s+(\S+)/i,
    toIntents: ([, from = "", to = ""]) => [
      { kind: "read", path: plainText(from) },
      { kind: "write", path: plainText(to), content: { from: "last-output" } },
    ],
  },
  {
    pattern: /\b(?:create|write|make|save|put|store)\b([\s\S]+)/i,
    toIntents: ([, rest = ""]) => writeFile(rest),
  },
  {
    // Only what is named at once: removing something from a file keeps the file.
    pattern:
      /\b(?:delete|remove|rm)\b\s+(?:(?:the|both|these|this|that|all|old|of|files?|called|named|my|your)\s+)*([`"']?[\w@.~/+-]+[`"']?(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:the\s+)?(?:file\s+)?[`"']?[\w@.~/+-]+[`"']?)*)/i,
    toIntents: ([, named = ""]) => perPath(named, (path) => ({ kind: "delete", path })),
  },
  {
    pattern: /\b(?:find|glob|list|search)\b[^`"']*?[`"']?((?:[\w./-]*\*[\w.*/-]*)+)[`"']?/i,
    toIntents: ([, glob = ""]) => [{ kind: "find", glob }],
  },
  {
    pattern:
      /\blist\b.*\b(?:files?|director(?:y|ies)|folders?|contents?|dir|workspace)\b|\b(?:what|which) files\b|^(?:please\s+)?(?:ls|list)\b/is,
    toIntents: (_, clause) => [{ kind: "list", path: directoryIn(clause) }],
  },
  {
    pattern: new RegExp(
      `\\b(?:search|grep|look|find)\\b.*?(?:for|of|grep)\\s+(?:the\\s+(?:word|text|string)\\s+)?(?:${quote}|([^\\s,]+))`,
      "is",
    ),
    toIntents: ([, quoted, word], clause) => [searchFor(plainText(quoted ?? word ?? ""), clause)],
  },
  {
    pattern: new RegExp(`\\b(?:search|grep|find|where)\\b.*?${quote}`, "is"),
    toIntents: ([, quoted = ""], clause) => [searchFor(plainText(quoted), clause)],
  },
  {
    pattern:
      /\b(?:read|open|show|cat|print|view|display|look|check|inspect|what|tell|contents?|summari[sz]e|explain|describe|how many|count|says?|review)\b/i,
    toIntents: (_, clause) => perPath(clause, (path) => ({ kind: "read", path })),
  },
];

function quotedIn(clause: string): readonly string[] {
  return (clause.match(new RegExp(quote, "g")) ?? []).map(plainText);
}

function perPath(clause: string, toIntent: (path: string) => Intent): readonly Intent[] | undefined {
  const paths = pathsIn(clause);
  return paths.length === 0 ? undefined : paths.map(toIntent);
}

function directoryIn(clause: string): string {
  const named = /\b(?:in|of|under|inside)\s+(?:the\s+)?(?:directory\s+|folder\s+)?[`"']?([\w./~-]*[\w/])[`"']?/i.exec(
    clause,
  )?.[1];
  const vague = /^(?:this|the|current|it|here|my|directory|folder|workspace|project|repository|repo)$/i;
  return named === undefined || vague.test(named) ? (pathsIn(clause)[0] ?? ".") : named;
}

function searchFor(pattern: string, clause: string): Intent {
  const paths = pathsIn(clause).filter((path) => !pattern.includes(path));
  return { kind: "search", pattern, path: paths.at(-1) ?? "." };
}

function appendTo(path: string | undefined, text: string): readonly Intent[] | undefined {
  if (path === undefined) return undefined;
  return [
    { kind: "read", path },
    { kind: "write", path, content: { from: "appending", text } },
  ];
}

function replaceIn(rest: string, clause: string): readonly Intent[] | undefined {
  const value = `(?:${quote}|(\\S+))`;
  const named = "(?:the\\s+(?:word|text|string|line)\\s+)?";
  const swap = new RegExp(`^\\s*${named}${value}\\s+(?:with|to|by|into|for)\\s+${named}${value}`, "is").exec(
    rest.replace(/^.*?\b(?:replace|change|replacing|changing)\b(?=\s)/is, ""),
  );
  if (swap === null) return undefined;
  const [, oldQuoted, oldWord, newQuoted, newWord] = swap;
  const oldText = plainText(oldQuoted ?? oldWord ?? "");
  const newText = plainText(newQuoted ?? newWord ?? "");
  const path = fileIn(pathsIn(clause.replace(swap[0].trim(), " ")));
  return path === undefined ? undefined : [{ kind: "edit", path, oldText, newText }];
}

/** A clause may name the directory first, and the file in it later. */
function fileIn([first, second]: readonly string[]): string | undefined {
  if (first === undefined || second === undefined) return first;
  const isDirectory = first.startsWith("/") && !/\.\w+$/.test(first);
  return isDirectory && !second.startsWith("/") ? `${first.replace(/\/$/, "")}/${second}` : first;
}

const contentLead =
  /\b(?:with|containing|that\s+(?:says|contains|reads)|saying|whose\s+content\s+is)\b\s*(?:exactly\s+)?(?:the\s+)?(?:following\s+)?(?:contents?|text|words?|line)?(?:\s+of)?\s*:?\s*([\s\S]+)$/i;

function writeFile(rest: string): readonly Intent[] | undefined {
  const lead = contentLead.exec(rest);
  const path = pathsIn(lead === null ? rest : rest.slice(0, lead.index)).at(lead === null ? -1 : 0);
  if (path === undefined) return undefined;
  if (lead?.[1] !== undefined) return [{ kind: "write", path, content: toContent(givenText(lead[0], lead[1])) }];
  const before =
    /^\s*([\s\S]+?)\s+(?:in|into|to|as)\s+(?:a\s+|the\s+)?(?:new\s+)?(?:file\s+)?(?:named\s+|called\s+)?\S+\s*$/i.exec(
      rest,
    );
  const content = before?.[1] === undefined ? toContent("") : toContent(before[1]);
  return [{ kind: "write", path, content }];
}

/** Text that begins on the line of the request ends with its paragraph: clients put things of their own below. */
function givenText(lead: string, text: string): string {
  const isBelow = lead.slice(0, lead.length - text.length).includes("\n");
  return isBelow || /^[`"']/.test(text) ? text : (text.split(/\n\s*\n/, 1)[0] ?? text);
}

/** "The number" and "the output" stand for what the step before gave. */
function toContent(text: string): Content {
  if (/^(?:only\s+)?(?:the|that|this|its)\s+(?:number|count|sum|total)\b/i.test(text)) return { from: "last-number" };
  if (/^(?:(?:the|that|this|its)\s+(?:result|output|content|contents|text|answer)\b|it\b|that\b)/i.test(text))
    return { from: "last-output" };
  return { from: "prompt", text: plainText(text) };
}
