import { resolve, sep } from "node:path";
import { CaretError, isJsonObject, type JsonObject, type ToolKind } from "@caret/protocol";
import { plainName, toolGroup } from "../calls/tool-aliases.ts";
import { wayInside } from "../paths/physical-path.ts";
import { createCommandPattern, createGlobPattern, type GlobPattern } from "./glob-pattern.ts";
import { mentionedFiles } from "./mentioned-files.ts";
import { followAll, pathEnds } from "./path-ends.ts";
import { type RunCommand, readCommandLine } from "./read-command-line.ts";

const severity: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

/** A call as judged by a policy. */
export interface PolicyCall {
  readonly tool: string;
  readonly kind: ToolKind;
  /** The MCP server the tool belongs to. */
  readonly server?: string;
  readonly input: unknown;
  readonly callId?: string;
}

/** One effect of a call. A call is judged by its worst part. */
export type PolicyPart =
  | { readonly kind: "whole" }
  | ({ readonly kind: "command" } & RunCommand)
  /** Something in the command line that is only known by running it. */
  | { readonly kind: "opaque"; readonly what: string }
  | PathPart;

export interface PathPart {
  readonly kind: "path";
  readonly path: PolicyPath;
  /**
   * How it is used: as the call's kind says (`named`), written by a redirection, changed as a command's operand, possibly opened by a
   * command (`mentioned`), or deleted by the call.
   */
  readonly use: "named" | "written" | "operand" | "mentioned" | "deleted";
  /** Deleted with its contents. */
  readonly recursive: boolean;
}

/** A file as written in a call. */
interface PolicyPath extends ResolvedPath {
  /** Every path it can resolve to; just the path itself if it contains no symbolic link. */
  readonly ends: readonly ResolvedPath[];
}

export interface ResolvedPath {
  readonly absolute: string;
  /** With forward slashes; undefined if outside the workspace, or unknown. */
  readonly inWorkspace: string | undefined;
}

const commandFields = new Set(["command", "cmd", "commandline", "shellcommand", "argv"]);
const directoryFields = new Set(["cwd", "workdir", "workingdir", "workingdirectory"]);
const pathFields = new Set(
  "path filepath file filename targetfile absolutepath dir directory dirpath directorypath targetdirectory notebookpath paths files from to source destination oldpath newpath".split(
    " ",
  ),
);

/**
 * Splits a call into parts. A call that runs nothing and touches no file is a single `whole`. With `mentions`, files that a command line's
 * words may name are parts as well.
 */
export function partsOf(call: PolicyCall, workspace: string, mentions = false): readonly PolicyPart[] {
  const fields = isJsonObject(call.input) ? call.input : {};
  const parts = [...lineParts(call, fields, { workspace, mentions }), ...pathParts(call, fields, workspace)];
  return parts.length === 0 ? [{ kind: "whole" }] : parts;
}

/** Each part is judged separately, and each file checked on disk: a call with more parts needs approval as a whole. */
const MAX_PATHS = 250;
const MAX_COMMANDS = 250;
const tooManyPaths: PolicyPart = { kind: "opaque", what: `it names more than ${MAX_PATHS} files` };
const tooManyCommands: PolicyPart = { kind: "opaque", what: `it has more than ${MAX_COMMANDS} commands` };

interface LineOptions {
  readonly workspace: string;
  readonly mentions: boolean;
}

function lineParts({ kind }: PolicyCall, fields: JsonObject, options: LineOptions): readonly PolicyPart[] {
  const runs = kind === "shell" || kind === "mcp" || kind === "other";
  const commands = runs ? commandsOf(fields) : [];
  if (kind === "shell" && commands.length === 0) return [{ kind: "opaque", what: "no command is given" }];
  const base = resolve(options.workspace, directoryOf(fields) ?? "");
  return commands.flatMap((command) => commandParts(command, base, options));
}

function pathParts({ tool, kind }: PolicyCall, fields: JsonObject, workspace: string): readonly PolicyPart[] {
  const isDeletion = toolGroup(tool) === "delete" && (kind === "write" || kind === "edit");
  const use = isDeletion ? "deleted" : "named";
  const recursive = fields["recursive"] === true;
  const paths = [...valuesOf(fields, pathFields), ...nestedPaths(fields)]
    .flat()
    .filter((path) => typeof path === "string");
  if (paths.length > MAX_PATHS) return [tooManyPaths];
  return paths.map((path) => ({ kind: "path", path: locate(path, workspace, workspace), use, recursive }));
}

/**
 * The link-free workspace paths that a call's parts resolve to. The tool that runs the call uses only these, so a link inserted after the
 * decision has no effect.
 */
export function judgedPathsOf(
  { input }: PolicyCall,
  parts: readonly PolicyPart[],
  workspace: string,
): readonly string[] {
  const directory = isJsonObject(input) ? directoryOf(input) : undefined;
  const named = parts.flatMap((part) => (part.kind === "path" && part.use !== "mentioned" ? part.path.ends : []));
  const resolved = [...named, ...locate(directory ?? "", workspace, workspace).ends];
  return [...new Set(resolved.flatMap(({ inWorkspace }) => (inWorkspace === undefined ? [] : [inWorkspace])))];
}

function directoryOf(fields: JsonObject): string | undefined {
  return valuesOf(fields, directoryFields).find((value) => typeof value === "string");
}

/** `{ command: "rm", args: ["-r"] }` is judged as the full command and as its first word alone. */
function commandsOf(fields: JsonObject): readonly unknown[] {
  const commands = valuesOf(fields, commandFields);
  const { args } = fields;
  return Array.isArray(args) ? commands.flatMap((command) => [command, [command, ...args].flat()]) : commands;
}

function commandParts(command: unknown, base: string, { workspace, mentions }: LineOptions): PolicyPart[] {
  const line = readCommandLine(command);
  const { commands, writes, changes } = line;
  if (commands.length > MAX_COMMANDS) return [tooManyCommands];
  const mentioned = mentions ? mentionedFiles(line, base) : { paths: [], computed: false };
  const opaque = mentioned.computed ? [...line.opaque, "a computed word that may name a file"] : line.opaque;
  const toPart = (path: string, use: PathPart["use"]): PathPart => ({
    kind: "path",
    path: locate(path, base, workspace),
    use,
    recursive: false,
  });
  const named = commands.map((command) => ({ kind: "command", ...command }) as const);
  if (writes.length + changes.length + mentioned.paths.length > MAX_PATHS) return [...named, tooManyPaths];
  return [
    ...named,
    ...writes.map((path) => toPart(path, "written")),
    ...changes.map((path) => toPart(path, "operand")),
    ...mentioned.paths.map((path) => toPart(path, "mentioned")),
    ...[...new Set(opaque)].map((what) => ({ kind: "opaque", what }) as const),
  ];
}

function valuesOf(fields: JsonObject, names: ReadonlySet<string>): unknown[] {
  return Object.entries(fields).flatMap(([name, value]) => (names.has(plainName(name)) ? [value] : []));
}

/** `edits: [{ path }]` and the like. */
function nestedPaths(fields: JsonObject): unknown[] {
  const items = Object.values(fields).filter(Array.isArray).flat().filter(isJsonObject);
  return items.flatMap((item) => valuesOf(item, pathFields));
}

function locate(path: string, base: string, workspace: string): PolicyPath {
  const unknown: ResolvedPath = { absolute: path, inWorkspace: undefined };
  const ends = path.includes("\0") ? [undefined] : pathEnds(base, path);
  // A path that leads nowhere is not matched against anything, however long it is.
  if (ends.length === 1 && ends[0] === undefined) return { ...unknown, ends: [unknown] };
  const real = followAll(workspace) ?? workspace;
  const resolved = ends.map((end) => (end === undefined ? unknown : toResolved(end, real)));
  // A person does not read these as a file of the workspace, although a tool might.
  if (/^~|^[a-z][a-z0-9+.-]+:/i.test(path)) return { ...unknown, ends: [unknown, ...resolved] };
  return { ...toResolved(resolve(base, path), workspace), ends: resolved };
}

function toResolved(absolute: string, workspace: string): ResolvedPath {
  const way = wayInside(workspace, absolute);
  return { absolute: absolute.split(sep).join("/"), inWorkspace: way?.split(sep).join("/") };
}

export type Effect = "allow" | "ask" | "deny";

export interface PolicyVerdict {
  readonly effect: Effect;
  /** Why, in words. */
  readonly reason: string;
}

/**
 * What to do with calls that everything in the rule fits. `tool` is a tool's name or kind, `server` an MCP server's
 * name, `path` a file of the workspace or, beginning with a slash, of the machine, `command` the first words of a
 * command. All may have wildcards.
 */
export interface PolicyRule {
  readonly effect: Effect;
  readonly tool?: string;
  readonly server?: string;
  readonly path?: string;
  readonly command?: string;
}

interface CompiledRule {
  readonly rule: PolicyRule;
  fits(call: PolicyCall, part: PolicyPart): boolean;
  /** Is the rule about tools of this name or kind? */
  names(tool: string, kind: string): boolean;
  /** Compared from left to right: by command, path, server, tool. */
  readonly weights: readonly number[];
}

export function isStricter(one: Effect, other: Effect): boolean {
  return severity[one] > severity[other];
}

export function compileRule(rule: PolicyRule): CompiledRule {
  if (rule.command !== undefined && rule.path !== undefined)
    throw new CaretError("invalid-config", "A rule names a command or a path, not both: no part of a call has both");
  const tool = compile(rule.tool, createGlobPattern);
  const server = compile(rule.server, createGlobPattern);
  const path = compile(rule.path, createGlobPattern);
  const command = compile(rule.command, createCommandPattern);
  const fitsCommand = (part: PolicyPart): boolean => {
    if (command === undefined) return true;
    if (part.kind !== "command") return false;
    // Elsewhere the same words may be another program, or one with other settings.
    if (rule.effect === "allow" && part.isElsewhere && !isEveryCommand(rule)) return false;
    const match = command.matches(part.words);
    // What may be meant counts where it makes the decision stricter, and only there.
    return match === "yes" || (match === "maybe" && rule.effect !== "allow");
  };
  const fitsFile = (part: PolicyPart): boolean => {
    // A command that mentions a file is judged by itself by the rules that are about no file.
    if (path === undefined) return part.kind !== "path" || part.use !== "mentioned";
    return part.kind === "path" && fitsPath(path, part.path, rule.effect);
  };
  const names = (name: string, kind: string): boolean => tool === undefined || tool.matches(name) || tool.matches(kind);
  return {
    rule,
    names,
    weights: [command, path, server, tool].map((pattern) => (pattern === undefined ? -1 : pattern.weight)),
    fits(call, part) {
      if (!names(call.tool, call.kind)) return false;
      if (server !== undefined && (call.server === undefined || !server.matches(call.server))) return false;
      return fitsFile(part) && fitsCommand(part);
    },
  };
}

/** A rule about every command names none. */
export function isEveryCommand({ command }: PolicyRule): boolean {
  return command?.trim().startsWith("*") === true;
}

/** The rule that decides: the most specific, of equally specific ones the strictest, of those the first. */
export function decidingRule(rules: readonly CompiledRule[]): PolicyRule | undefined {
  const [first, ...others] = rules;
  return others.reduce<CompiledRule | undefined>((best, rule) => (best && outdoes(rule, best) ? rule : best), first)
    ?.rule;
}

function outdoes(one: CompiledRule, other: CompiledRule): boolean {
  for (const [index, weight] of one.weights.entries()) {
    const difference = weight - (other.weights[index] ?? -1);
    if (difference !== 0) return difference > 0;
  }
  return isStricter(one.rule.effect, other.rule.effect);
}

function compile<Pattern>(text: string | undefined, create: (text: string) => Pattern): Pattern | undefined {
  return text === undefined ? undefined : create(text);
}

/** What forbids does so under every name of a file; what allows must allow each path that the file can resolve to. */
function fitsPath(pattern: GlobPattern, path: PolicyPath, effect: Effect): boolean {
  const fits = (end: ResolvedPath): boolean => namesOf(end).some((name) => pattern.matches(name));
  return effect === "allow" ? path.ends.every(fits) : [path, ...path.ends].some(fits);
}

function namesOf({ absolute, inWorkspace }: ResolvedPath): readonly string[] {
  return inWorkspace === undefined ? [absolute] : [inWorkspace, absolute];
}
