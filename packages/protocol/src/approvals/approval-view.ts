import type { AgentEventOf, FileDiff, GrantOffer } from "../events/agent-event.ts";
import { hiddenMark, markHidden, markLine } from "../events/mark-hidden.ts";
import { changeText } from "./change-text.ts";
import { plainLine, shortLine } from "./plain-line.ts";

type Request = AgentEventOf<"approval-request">;
type Fields = Readonly<Record<string, unknown>>;

/** One fact a person needs to decide. */
export interface ApprovalPart {
  readonly kind:
    | "danger"
    | "tool"
    | "command"
    | "directory"
    | "plan"
    | "change"
    | "arguments"
    | "effect"
    | "said"
    | "reason";
  /** Heading, shown above or before the text. */
  readonly label: string;
  /** Multi-line; invisible characters are spelled out. */
  readonly text: string;
  /** The change as two sides or as hunks, for doors that draw diffs. Only for changes. */
  readonly diff?: FileDiff;
}

/**
 * Everything a person must see to decide on an approval. Every door that asks renders this, each part in full, and nothing else of the
 * request. A door without room for all of it must not offer to approve.
 */
export interface ApprovalView {
  /** One short line, as a label; anything that does not fit is in the parts. */
  readonly title: string;
  /** The tool and its server, on one short line. */
  readonly name: string;
  readonly parts: readonly ApprovalPart[];
  /** What can be allowed for the rest of the session, with display labels. */
  readonly grants: readonly Pick<GrantOffer, "id" | "label">[];
}

const MAX_TITLE = 100;
const MAX_NAME = 80;

/** Arguments under these names get their own part, if they have the expected type; all others are listed as arguments. */
const names = {
  command: ["command", "cmd", "chars"],
  directory: ["cwd", "workdir", "workingDirectory", "working_directory"],
  said: ["description", "reason", "explanation"],
  plan: ["plan"],
} as const;

/** Arguments from which our own tools build their diff. */
const inDiff = ["content", "old_string", "new_string"];

/** The only place that decides what a request shows and how it is written. */
export function approvalView(request: Request): ApprovalView {
  const { subject, server, effect, danger, reason, grants = [] } = request;
  const tool = server === undefined ? subject : `${server}/${subject}`;
  const name = shortLine(tool, MAX_NAME);
  return {
    title: titleOf(request, name),
    name,
    parts: [
      ...part("danger", "Dangerous", danger),
      ...part("tool", "Tool", plainLine(tool, MAX_NAME) === undefined ? tool : undefined),
      ...argumentParts(request),
      ...part("effect", "Effect", effect),
      ...part("reason", "Why it is asked", reason === danger ? undefined : reason),
    ],
    grants: grants.map(({ id, label }) => ({ id, label: markLine(label) })),
  };
}

function part(kind: ApprovalPart["kind"], label: string, text: string | undefined): readonly ApprovalPart[] {
  if (text === undefined) return [];
  const marked = markHidden(text);
  return [{ kind, label, text: kind === "directory" ? markEdges(marked) : marked }];
}

/** Marks leading and trailing spaces of a path, which are invisible otherwise. */
function markEdges(path: string): string {
  return path.replaceAll(/^[\t ]|[\t ](?=\n|$)/g, hiddenMark);
}

/** Shows each argument exactly once: as its own part, in the diff, or among the rest. */
function argumentParts(request: Request): readonly ApprovalPart[] {
  const { input, server, diff } = request;
  if (!isFields(input)) return part("arguments", "Arguments", input === undefined ? undefined : json(input));
  // An MCP server's tool can mean anything by these names: its command is shown as one, and again among the arguments.
  const isOurs = server === undefined;
  const command = commandOf(input);
  const found = isOurs ? partsOf(request, input) : [];
  const shown = new Set(isOurs ? [command?.name, ...found.map(({ name }) => name), ...changedBy(input, diff)] : []);
  const rest = Object.entries(input).filter(([name]) => !shown.has(name));
  return [
    ...(command === undefined ? [] : [commandPart(command.text)]),
    ...found.flatMap(({ kind, label, text }) => part(kind, label, text)),
    ...(diff === undefined ? [] : [changePart(diff)]),
    ...part("arguments", "Arguments", rest.length === 0 ? undefined : json(Object.fromEntries(rest))),
  ];
}

/** Those arguments of our own tools that get their own part. */
function partsOf({ kind }: Request, fields: Fields) {
  const wanted = [
    { kind: "directory", label: "In the directory", found: textOf(fields, names.directory) },
    { kind: "said", label: "The agent says", found: textOf(fields, names.said) },
    { kind: "plan", label: "Plan", found: kind === "plan" ? textOf(fields, names.plan) : undefined },
  ] as const;
  return wanted.flatMap(({ found, ...named }) => (found === undefined ? [] : [{ ...named, ...found }]));
}

interface Found {
  readonly name: string;
  readonly text: string;
}

function textOf(fields: Fields, of: readonly string[]): Found | undefined {
  const name = of.find(
    (each) => Object.hasOwn(fields, each) && typeof fields[each] === "string" && fields[each] !== "",
  );
  return name === undefined ? undefined : { name, text: fields[name] as string };
}

/** A command line verbatim; a list of words with each one quoted, to show where it ends. */
function commandOf(fields: Fields): Found | undefined {
  const line = textOf(fields, names.command);
  if (line !== undefined) return line;
  const name = ["argv", ...names.command].find((each) => Object.hasOwn(fields, each) && isWords(fields[each]));
  if (name === undefined) return undefined;
  return { name, text: (fields[name] as readonly string[]).map((word) => JSON.stringify(word)).join(" ") };
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");
}

/** Marks trailing spaces, which are invisible: `rm a\ ` is not `rm a\`. */
function commandPart(command: string): ApprovalPart {
  const text = markHidden(command).replaceAll(/[\t ](?=\n|$)/g, hiddenMark);
  return { kind: "command", label: "Command", text };
}

/** Names of the arguments the diff already shows: its path, and the contents our own tools change. A binary diff shows no contents. */
function changedBy(fields: Fields, diff: FileDiff | undefined): readonly string[] {
  if (diff === undefined) return [];
  const { path, after, unified } = diff;
  const hasText = after !== undefined || unified !== undefined;
  const contents = hasText ? inDiff.filter((name) => typeof fields[name] === "string") : [];
  return fields["path"] === path ? ["path", ...contents] : contents;
}

function changePart({ path, before, after, unified }: FileDiff): ApprovalPart {
  const diff: FileDiff = {
    path: markEdges(markLine(path)),
    ...(before === undefined ? {} : { before: markHidden(before) }),
    ...(after === undefined ? {} : { after: markHidden(after) }),
    ...(unified === undefined ? {} : { unified: markHidden(unified) }),
  };
  return { kind: "change", label: `Change of ${diff.path}`, text: changeText(diff), diff };
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

function isFields(input: unknown): input is Fields {
  return typeof input === "object" && input !== null && !Array.isArray(input);
}

/** Titles of tools by the start of their names. The path, URL or query is inserted where the phrase takes one. */
const phrases: readonly (readonly [name: RegExp, words: (about: string | undefined) => string])[] = [
  [/^(exec|shell|bash|run)/i, () => "Run a command"],
  [/^edit/i, (path = "a file") => `Change ${path}`],
  [/^write/i, (path = "a file") => `Write ${path}`],
  [/^(delete|rm)/i, (path = "something") => `Delete ${path}`],
  [/^web_?fetch/i, (address = "an address") => `Fetch ${address}`],
  [/^web_?search/i, (query) => `Search the web${query === undefined ? "" : ` for “${query}”`}`],
];
const aboutNames = ["path", "filePath", "file_path", "url", "uri", "query", "searchTerm"];

/** `Run a command`, `Fetch https://…`. Text that would need cutting or marking is left to the parts. */
function titleOf({ subject, input }: Request, name: string): string {
  const text = isFields(input) ? textOf(input, aboutNames)?.text : undefined;
  const about = text === undefined ? undefined : plainLine(text, MAX_TITLE);
  const phrase = phrases.find(([start]) => start.test(subject));
  if (phrase !== undefined) return phrase[1](about);
  return about === undefined ? `Use ${name}` : `Use ${name} on ${about}`;
}
