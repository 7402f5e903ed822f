import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { z } from "zod";
import type { PluginTool, ToolContext } from "./open-code.ts";
import { askOutside, inProject, isInside } from "./project-path.ts";
import { findFiles, grepFiles } from "./search-files.ts";

const path = z.string().min(1).describe("relative to the project's directory, or absolute");
const directory = z.string().default(".").describe("by default the project's directory");

/** A tool whose arguments are checked before anything is done. */
function defined<Args extends z.ZodRawShape>(
  description: string,
  args: Args,
  act: (args: z.infer<z.ZodObject<Args>>, context: ToolContext) => Promise<string>,
): PluginTool {
  const schema = z.object(args);
  return { description, args, execute: async (given, context) => await act(schema.parse(given), context) };
}

/** A permission to edit files in OpenCode covers these; the user is asked as for an edit. */
async function askToChange(context: ToolContext, target: string): Promise<void> {
  await askOutside(context, target, "file");
  const shown = relative(context.worktree, target);
  await context.ask({ permission: "edit", patterns: [shown], always: ["*"], metadata: { filepath: target } });
}

const read = defined(
  "Read a file.",
  { path, offset: z.number().int().min(0).default(0), limit: z.number().int().positive().default(2000) },
  async (args, context) => {
    const target = inProject(context, args.path);
    await askOutside(context, target, "file");
    const lines = (await readFile(target, "utf8")).split("\n");
    return lines.slice(args.offset, args.offset + args.limit).join("\n");
  },
);

const write = defined("Write a file, with its directories.", { path, content: z.string() }, async (args, context) => {
  const target = inProject(context, args.path);
  await askToChange(context, target);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, args.content);
  return `Wrote ${args.path}.`;
});

const edit = defined(
  "Replace a piece of a file that occurs in it once.",
  { path, old_string: z.string().min(1), new_string: z.string() },
  async (args, context) => {
    const target = inProject(context, args.path);
    await askOutside(context, target, "file");
    const edited = async (): Promise<string> => {
      const before = await readFile(target, "utf8");
      const count = before.split(args.old_string).length - 1;
      if (count !== 1) throw new Error(`old_string occurs ${count} times in ${args.path}; it must occur once`);
      return before.replace(args.old_string, () => args.new_string);
    };
    await edited(); // an edit that cannot be made is not asked for
    await askToChange(context, target);
    // Read again: the file may have changed while the user was asked.
    await writeFile(target, await edited());
    return `Edited ${args.path}.`;
  },
);

/** A directory that a tool reads. */
async function readableDirectory(context: ToolContext, given: string): Promise<string> {
  const target = inProject(context, given);
  await askOutside(context, target, "directory");
  return target;
}

const ls = defined("List a directory.", { path: directory }, async (args, context) => {
  const entries = await readdir(await readableDirectory(context, args.path), { withFileTypes: true });
  return entries
    .map((entry) => `${entry.name}${entry.isDirectory() ? "/" : ""}`)
    .toSorted()
    .join("\n");
});

const glob = defined(
  "Find files by a pattern.",
  { pattern: z.string().min(1), path: directory },
  async (args, context) => (await findFiles(await readableDirectory(context, args.path), args.pattern)).join("\n"),
);

const grep = defined(
  "Find lines by a regular expression.",
  { pattern: z.string().min(1), path: directory, include: z.string().default("**/*") },
  async (args, context) => {
    const place = await readableDirectory(context, args.path);
    return (await grepFiles(place, args.include, new RegExp(args.pattern))).join("\n");
  },
);

const makeDirectory = defined("Make a directory, with those above it.", { path }, async (args, context) => {
  const target = inProject(context, args.path);
  await askToChange(context, target);
  await mkdir(target, { recursive: true });
  return `Made ${args.path}.`;
});

const remove = defined(
  "Remove a file, or a directory with `recursive`.",
  { path, recursive: z.boolean().default(false) },
  async (args, context) => {
    const target = inProject(context, args.path);
    if (isInside(target, context.directory)) throw new Error(`${args.path} holds the project itself`);
    await askToChange(context, target);
    await rm(target, { recursive: args.recursive });
    return `Removed ${args.path}.`;
  },
);

const status = defined(
  "What is known of a file: kind, size, permissions, time of its last change.",
  { path },
  async (args, context) => {
    const target = inProject(context, args.path);
    await askOutside(context, target, "file");
    const found = await stat(target);
    const kind = found.isDirectory() ? "directory" : "file";
    return JSON.stringify({
      kind,
      size: found.size,
      mode: (found.mode & 0o777).toString(8),
      modified: found.mtime.toISOString(),
    });
  },
);

export const fileTools = { read, write, edit, grep, ls, glob, mkdir: makeDirectory, rm: remove, stat: status };
