import type { Dirent } from "node:fs";
import { lstat, mkdir, rmdir, unlink } from "node:fs/promises";
import { CaretError } from "@caret/protocol";
import type { EntryData, ToolData } from "../../calls/tool-data.ts";
import { defineTool, type Tool, type ToolOutput } from "../tool.ts";
import { assertAsShown } from "./change-diff.ts";
import { type ConfinedOptions, type ConfinedPath, withConfined } from "./confined-path.ts";
import { hasCode } from "./file-error.ts";
import { lookAtTree, treeWords } from "./look-at-tree.ts";
import type { PinnedDirectory } from "./pinned-directory.ts";

const MAX_ENTRIES = 2_000;
/** Size limit for returning a deleted file's contents. */
const MAX_SHOWN_BYTES = 1024 * 1024;

interface PathInput {
  readonly path: string;
}

const pathSchema = {
  type: "object",
  properties: { path: { type: "string", minLength: 1 } },
  required: ["path"],
  additionalProperties: false,
};

export const lsTool: Tool = defineTool<Partial<PathInput>>({
  name: "ls",
  description: "List a directory of the workspace: the workspace itself unless a path is given.",
  kind: "search",
  inputSchema: { ...pathSchema, required: [] },
  run({ path = "." }, { workspace, judgedPaths, exact }) {
    return withConfined({ workspace, judgedPaths, path }, async ({ directory, name }): Promise<ToolOutput> => {
      const listed = await directory.enter(name);
      try {
        const entries = await listed.list();
        const lines = entries.slice(0, MAX_ENTRIES).map((entry) => `${entry.name}${markOf(entry)}`);
        const rest = entries.length - lines.length;
        if (rest > 0) lines.push(`[${rest} more entries; use glob with a pattern to find those you need.]`);
        const output = lines.join("\n") || "[The directory is empty.]";
        return exact === undefined ? { output } : { output, data: { kind: "entries", entries: entries.map(toEntry) } };
      } finally {
        await listed.close();
      }
    });
  },
});

export const mkdirTool: Tool = defineTool<PathInput>({
  name: "mkdir",
  description: "Make a directory in the workspace, and those above it that are missing.",
  kind: "write",
  inputSchema: pathSchema,
  async preview({ path }, context) {
    const { workspace, judgedPaths } = context;
    const kind = await entryKind({ workspace, judgedPaths, path, changes: context });
    if (kind !== undefined && kind !== "directory") throw new CaretError("invalid-request", `${path} exists already`);
    return { effect: kind === undefined ? `Makes the directory ${path}` : `Nothing: ${path} exists already` };
  },
  run({ path }, context) {
    const { workspace, judgedPaths } = context;
    return withConfined(
      { workspace, judgedPaths, path, changes: context, createParents: true },
      async ({ directory, name, path: made }) => {
        try {
          await mkdir(directory.at(name));
          return { output: `Made ${made}` };
        } catch (reason) {
          if (!hasCode(reason, "EEXIST") || !(await lstat(directory.at(name))).isDirectory()) throw reason;
          return { output: `${made || "The workspace"} exists already` };
        }
      },
    );
  },
});

export const rmTool: Tool = defineTool<PathInput & { readonly recursive?: boolean }>({
  name: "rm",
  description:
    "Remove a file, a link or an empty directory of the workspace; with recursive, a directory with all in it.",
  kind: "write",
  inputSchema: { ...pathSchema, properties: { ...pathSchema.properties, recursive: { type: "boolean" } } },
  preview({ path, recursive = false }, context) {
    const { workspace, judgedPaths, signal } = context;
    return withConfined({ workspace, judgedPaths, path, changes: context, followLast: false }, async (target) => {
      assertRemovable(target);
      const found = await lookAtTree(target, { path, recursive, signal });
      return { effect: `Deletes ${target.path}: ${treeWords(found)}`, state: found.state };
    });
  },
  run({ path, recursive = false }, context) {
    const { workspace, judgedPaths, shownState, signal } = context;
    const options = { workspace, judgedPaths, path, changes: context, followLast: false };
    return withConfined(options, async (target): Promise<ToolOutput> => {
      const { directory, name, path: removed } = target;
      assertRemovable(target);
      const found = context.exact === undefined ? undefined : await lookAtFile(target);
      if (found?.kind === "not-a-file")
        return { output: `${removed} is a ${found.actualType}`, failure: "validation", data: found };
      if (shownState !== undefined) {
        const { state } = await lookAtTree(target, { path, recursive, signal });
        assertAsShown(context, state, removed);
      }
      await remove(directory, name, { recursive, signal });
      return { output: `Removed ${removed}`, ...(found === undefined ? {} : { data: found }) };
    });
  },
});

export const statTool: Tool = defineTool<PathInput>({
  name: "stat",
  description: "Describe a path of the workspace: its kind, size, mode and time of change. Links are not followed.",
  kind: "read",
  inputSchema: pathSchema,
  run({ path }, { workspace, judgedPaths }) {
    return withConfined(
      { workspace, judgedPaths, path, followLast: false },
      async ({ directory, name, path: found }) => {
        const stat = await lstat(directory.at(name));
        const target = stat.isSymbolicLink() ? await directory.linkTarget(name) : undefined;
        const facts = {
          path: found || ".",
          kind: kindOf(stat),
          ...(target === undefined ? {} : { target }),
          bytes: stat.size,
          mode: (stat.mode & 0o777).toString(8).padStart(3, "0"),
          modified: stat.mtime.toISOString(),
        };
        return { output: JSON.stringify(facts, undefined, 2) };
      },
    );
  },
});

/** Undefined if it does not exist. */
async function entryKind(target: ConfinedOptions): Promise<ReturnType<typeof kindOf> | undefined> {
  try {
    return await withConfined(target, async ({ directory, name }) => kindOf(await lstat(directory.at(name))));
  } catch (reason) {
    if (CaretError.is(reason) && reason.code === "not-found") return undefined;
    throw reason;
  }
}

function assertRemovable({ name }: ConfinedPath): void {
  if (name === ".") throw new CaretError("forbidden", "The workspace itself cannot be removed");
}

function toEntry(entry: Dirent): EntryData {
  return { name: entry.name, isDirectory: entry.isDirectory() };
}

/** What a program that deletes a file gets back. Does not cover directories. */
async function lookAtFile({
  directory,
  name,
}: ConfinedPath): Promise<Extract<ToolData, { kind: "removed" | "not-a-file" }>> {
  const stat = await lstat(directory.at(name));
  if (stat.isDirectory()) return { kind: "not-a-file", actualType: "directory" };
  const bytes = stat.isFile() && stat.size <= MAX_SHOWN_BYTES ? await bytesOf(directory, name) : undefined;
  return { kind: "removed", fileSize: stat.size, bytes };
}

async function bytesOf(directory: PinnedDirectory, name: string): Promise<Buffer | undefined> {
  const file = await directory.openFile(name).catch(() => undefined); // an unreadable file can still be deleted
  if (file === undefined) return undefined;
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

interface Kinds {
  isDirectory(): boolean;
  isFile(): boolean;
  isSymbolicLink(): boolean;
}

function kindOf(entry: Kinds): "directory" | "file" | "link" | "other" {
  if (entry.isDirectory()) return "directory";
  if (entry.isFile()) return "file";
  return entry.isSymbolicLink() ? "link" : "other";
}

function markOf(entry: Kinds): string {
  return { directory: "/", file: "", link: "@", other: "?" }[kindOf(entry)];
}

/** Descends by descriptors, like everything here: a recursive removal by paths could be redirected midway. */
async function remove(
  directory: PinnedDirectory,
  name: string,
  { recursive, signal }: { readonly recursive: boolean; readonly signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted();
  if (!(await lstat(directory.at(name))).isDirectory()) return unlink(directory.at(name));
  if (recursive) {
    const below = await directory.enter(name);
    try {
      for (const entry of await below.list()) await remove(below, entry.name, { recursive, signal });
    } finally {
      await below.close();
    }
  }
  await rmdir(directory.at(name));
}
