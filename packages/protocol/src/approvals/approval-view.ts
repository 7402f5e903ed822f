import type { AgentEventOf, FileDiff, GrantOffer } from "../events/agent-event.ts";
import { hiddenMark, markHidden, markLine } from "../events/mark-hidden.ts";
import { changeText } from "./change-text.ts";
import { plainLine, shortLine } from "./plain-line.ts";

type Request = AgentEventOf<"approval-request">;
type Fields = Readonly<Record<string, unknown>>;

/** One thing that a person has to know before deciding. */
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
  /** What stands above or before the text. */
  readonly label: string;
  /** With its lines; what cannot be seen is written out. */
  readonly text: string;
  /** The same change as a file's two sides or hunks, for a door that draws changes. Of a change only. */
  readonly diff?: FileDiff;
}

/**
 * The whole of what an approval is about. Every door that asks a person renders this, each part to its end, and nothing else of the
 * request; a door that has no room for all of it offers nothing that approves.
 */
export interface ApprovalView {
  /** One short line. It is a label: what it has no room for is in the parts. */
  readonly title: string;
  /** The tool, with its server: one short line. */
  readonly name: string;
  readonly parts: readonly ApprovalPart[];
  /** What may be allowed for the rest of the session, each label as it is shown. */
  readonly grants: readonly Pick<GrantOffer, "id" | "label">[];
}

const MAX_TITLE = 100;
const MAX_NAME = 80;

/** The arguments by these names are shown as parts of their own; any other value of them is among the arguments. */
const names = {
  command: ["command", "cmd", "chars"],
  directory: ["cwd", "workdir", "workingDirectory", "working_directory"],
  said: ["description", "reason", "explanation"],
  plan: ["plan"],
} as const;

/** What our own tools make their diff of. */
const inDiff = ["content", "old_string", "new_string"];

/** The one place that decides what of a request is shown, and how it is written. */
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

/** A space at either end of a path cannot be seen. */
function markEdges(path: string): string {
  return path.replaceAll(/^[\t ]|[\t ](?=\n|$)/g, hiddenMark);
}

/** Each argument once: as a part of its own, in the diff, or among the rest. */
function argumentParts(request: Request): readonly ApprovalPart[] {
  const { input, server, diff } = request;
  if (!isFields(input)) return part("arguments", "Arguments", input === undefined ? undefined : json(input));
  // A tool of an MCP server may mean anything by these names: a command is shown as one, and all arguments besides.
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

/** The arguments of our own tools that are parts of their own. */
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

/** A command line as it is; the words of a list each in quotes, so that one sees where each ends. */
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

/** A space at the end of a line cannot be seen, and `rm a\ ` is not `rm a\`. */
function commandPart(command: string): ApprovalPart {
  const text = markHidden(command).replaceAll(/[\t ](?=\n|$)/g, hiddenMark);
  return { kind: "command", label: "Command", text };
}

/** The arguments that the diff shows: its path, and what our own tools change files by. A diff of bytes shows none. */
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

/** What tools do, by how their names begin. The path, address or query stands where the words have a place for it. */
const phrases: readonly (readonly [name: RegExp, words: (about: string | undefined) => string])[] = [
  [/^(exec|shell|bash|run)/i, () => "Run a command"],
  [/^edit/i, (path = "a file") => `Change ${path}`],
  [/^write/i, (path = "a file") => `Write ${path}`],
  [/^(delete|rm)/i, (path = "something") => `Delete ${path}`],
  [/^web_?fetch/i, (address = "an address") => `Fetch ${address}`],
  [/^web_?search/i, (query) => `Search the web${query === undefined ? "" : ` for “${query}”`}`],
];
const aboutNames = ["path", "filePath", "file_path", "url", "uri", "query", "searchTerm"];

/** `Run a command`, `Fetch https://…`. What it would have to cut or mark it leaves to the parts. */
function titleOf({ subject, input }: Request, name: string): string {
  const text = isFields(input) ? textOf(input, aboutNames)?.text : undefined;
  const about = text === undefined ? undefined : plainLine(text, MAX_TITLE);
  const phrase = phrases.find(([start]) => start.test(subject));
  if (phrase !== undefined) return phrase[1](about);
  return about === undefined ? `Use ${name}` : `Use ${name} on ${about}`;
}
