import { readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { globPattern } from "../policy/permission-rule.ts";
import { ignoredNames } from "./search-tools.ts";
import { refusalText, type ToolDraft } from "./tool-draft.ts";
import { absolutePath, cleanPath, list, type ToolArgs, type ToolContext, text } from "./tool-run.ts";

interface DirectoryNode {
  readonly absPath: string;
  readonly childrenDirs: readonly DirectoryNode[];
  readonly childrenFiles: readonly { readonly name: string }[];
  readonly childrenWereProcessed: boolean;
  readonly fullSubtreeExtensionCounts: Readonly<Record<string, number>>;
  readonly numFiles: number;
}

/** Deeper directories are named but not opened. */
const MAX_DEPTH = 3;

export function lsTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const path = absolutePath(text(input, "path"), context.workspace);
  const ignore = list(input, "ignore").filter((glob): glob is string => typeof glob === "string");
  return {
    key: "lsToolCall",
    args: { path, ignore, toolCallId: context.toolCallId },
    hook: { toolName: "LS", input: { path } },
    actions: [{ kind: "Read", path: cleanPath(path) }],
    refuse: (refusal) => ({ rejected: { path, reason: refusalText(refusal) } }),
    fail: (error) => ({ error: { path, error } }),
    work: () => {
      const patterns = ignore.map(globPattern);
      const skips = (name: string) => ignoredNames.has(name) || patterns.some((pattern) => pattern.test(name));
      const directoryTreeRoot = toNode(path, { depth: 0, skips });
      return { result: { success: { directoryTreeRoot } }, ok: true, output: toText(directoryTreeRoot, "") };
    },
  };
}

interface Walk {
  readonly depth: number;
  readonly skips: (name: string) => boolean;
}

function toNode(absPath: string, { depth, skips }: Walk): DirectoryNode {
  const nothing = { childrenDirs: [], childrenFiles: [], fullSubtreeExtensionCounts: {}, numFiles: 0 };
  if (depth > MAX_DEPTH) return { absPath, ...nothing, childrenWereProcessed: false };
  const entries = readdirSync(absPath, { withFileTypes: true })
    .filter(({ name }) => !skips(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const childrenDirs = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => toNode(join(absPath, name), { depth: depth + 1, skips }));
  const childrenFiles = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => ({ name }));
  const fullSubtreeExtensionCounts = countExtensions(childrenFiles, childrenDirs);
  const numFiles = childrenFiles.length + childrenDirs.reduce((sum, child) => sum + child.numFiles, 0);
  return { absPath, childrenDirs, childrenFiles, childrenWereProcessed: true, fullSubtreeExtensionCounts, numFiles };
}

function countExtensions(
  files: readonly { readonly name: string }[],
  directories: readonly DirectoryNode[],
): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (extension: string, count: number) => {
    counts[extension] = (counts[extension] ?? 0) + count;
  };
  for (const { name } of files) add(extname(name), 1);
  for (const { fullSubtreeExtensionCounts } of directories)
    for (const [extension, count] of Object.entries(fullSubtreeExtensionCounts)) add(extension, count);
  return counts;
}

function toText(node: DirectoryNode, indent: string): string {
  const directories = node.childrenDirs.map(
    (child) => `${indent}${child.absPath.slice(node.absPath.length + 1)}/\n${toText(child, `${indent}  `)}`,
  );
  const files = node.childrenFiles.map(({ name }) => `${indent}${name}`);
  return [...directories, ...files].filter((line) => line !== "").join("\n");
}
