import { isAbsolute, join, resolve } from "node:path";

/** What the model asked for, before anyone checked it: a wrong or missing value reads as its default. */
export type ToolArgs = Readonly<Record<string, unknown>>;

export function text(args: ToolArgs, name: string): string {
  return optionalText(args, name) ?? "";
}

export function optionalText(args: ToolArgs, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" ? value : undefined;
}

export function optionalNumber(args: ToolArgs, name: string): number | undefined {
  const value = args[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function list(args: ToolArgs, name: string): readonly unknown[] {
  const value = args[name];
  return Array.isArray(value) ? value : [];
}

/** Keeps the path as it was given where it is absolute, symbolic links and all: the wire does so too. */
export function absolutePath(path: string, workspace: string): string {
  return isAbsolute(path) ? path : join(workspace, path);
}

/** The path that permission rules are held against: no `..` may slip by them. */
export function cleanPath(path: string): string {
  return resolve(path);
}

/** Copies the named arguments that are there, and only those. */
export function pick(args: ToolArgs, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => args[name] !== undefined).map((name) => [name, args[name]]));
}
