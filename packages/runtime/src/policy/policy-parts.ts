import { isAbsolute, relative, resolve, sep } from "node:path";
import type { ToolKind } from "@caret/protocol";
import { plainName } from "../boundary/tool-aliases.ts";
import { isJsonObject, type JsonObject } from "../framing/frame.ts";
import { readCommandLine } from "./read-command-line.ts";
import type { ShellWord } from "./shell-cursor.ts";

/** A call as a policy judges it. */
export interface PolicyCall {
  readonly tool: string;
  readonly kind: ToolKind;
  /** The MCP server that the tool belongs to. */
  readonly server?: string;
  readonly input: unknown;
  readonly callId?: string;
}

/** One thing a call would do. A call is judged by the worst of its parts. */
export type PolicyPart =
  | { readonly kind: "whole" }
  | { readonly kind: "command"; readonly words: readonly ShellWord[] }
  /** Something in the command line that nobody can know without running it. */
  | { readonly kind: "opaque"; readonly what: string }
  /** A file, absolute where that can be told. `written` when a redirection writes it. */
  | { readonly kind: "path"; readonly path: PolicyPath; readonly written: boolean };

export interface PolicyPath {
  readonly absolute: string;
  /** With forward slashes; undefined when it is not inside the workspace, or nobody can tell. */
  readonly inWorkspace: string | undefined;
}

const commandFields = new Set(["command", "cmd", "commandline", "shellcommand"]);
const directoryFields = new Set(["cwd", "workdir", "workingdir", "workingdirectory"]);
const pathFields = new Set(
  "path filepath file filename targetfile absolutepath dir directory dirpath directorypath targetdirectory notebookpath paths files from to source destination oldpath newpath".split(
    " ",
  ),
);

/** Take a call apart. Kinds of calls that run nothing and touch no file are one whole. */
export function partsOf({ kind, input }: PolicyCall, workspace: string): readonly PolicyPart[] {
  const fields = isJsonObject(input) ? input : {};
  const runs = kind === "shell" || kind === "mcp" || kind === "other";
  const commands = runs ? valuesOf(fields, commandFields) : [];
  const places = valuesOf(fields, directoryFields).filter((value) => typeof value === "string");
  const base = resolve(workspace, places[0] ?? "");
  const parts = commands.flatMap((command) => commandParts(command, base, workspace));
  if (kind === "shell" && commands.length === 0) parts.push({ kind: "opaque", what: "no command is given" });
  const paths = [...valuesOf(fields, pathFields), ...nestedPaths(fields)].flat();
  for (const path of paths)
    if (typeof path === "string")
      parts.push({ kind: "path", path: placeOf(path, workspace, workspace), written: false });
  return parts.length === 0 ? [{ kind: "whole" }] : parts;
}

function commandParts(command: unknown, base: string, workspace: string): PolicyPart[] {
  const { commands, writes, opaque } = readCommandLine(command);
  return [
    ...commands.map((words) => ({ kind: "command", words }) as const),
    ...writes.map((path) => ({ kind: "path", path: placeOf(path, base, workspace), written: true }) as const),
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

/** By the text alone: a symbolic link inside the workspace that leads out of it is not seen here. */
function placeOf(path: string, base: string, workspace: string): PolicyPath {
  const isPlain = !(path.startsWith("~") || path.includes("\0") || /^[a-z][a-z0-9+.-]+:/i.test(path));
  if (!isPlain) return { absolute: path, inWorkspace: undefined };
  const absolute = resolve(base, path);
  const inner = relative(workspace, absolute);
  const isInside = inner !== ".." && !inner.startsWith(`..${sep}`) && !isAbsolute(inner);
  return { absolute: absolute.split(sep).join("/"), inWorkspace: isInside ? inner.split(sep).join("/") : undefined };
}
