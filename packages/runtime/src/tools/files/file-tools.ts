import { lstat } from "node:fs/promises";
import { defineTool, type Tool, type ToolOutput } from "../tool.ts";
import { type ConfinedPath, withConfined } from "./confined-path.ts";
import { lsTool, mkdirTool, rmTool, statTool } from "./directory-tools.ts";
import { createEditTool } from "./edit-tool.ts";
import { hasCode } from "./file-error.ts";
import { type FileTimes, inOrder, timesOf } from "./file-order.ts";
import { compileGlob, type GlobMatcher } from "./glob-pattern.ts";
import { grepTool } from "./grep-tool.ts";
import { readTool } from "./read-tool.ts";
import { type FoundFile, type WalkOptions, walkFiles } from "./walk-files.ts";
import { createWriteQueue, createWriteTool } from "./write-tool.ts";

const MAX_FOUND = 1_000;

const globTool: Tool = defineTool<GlobInput>({
  name: "glob",
  description:
    "Find files of the workspace by name: *, ?, [a-z], {a,b}, and ** across directories. .git and node_modules are left out.",
  kind: "search",
  inputSchema: {
    type: "object",
    properties: {
      pattern: { type: "string", minLength: 1 },
      path: { type: "string", minLength: 1, description: "The directory to search in; the workspace by default." },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
  run({ pattern, path = "." }, { workspace, judgedPaths, signal, exact }) {
    const matches = compileGlob(pattern);
    return withConfined({ workspace, judgedPaths, path }, async (target): Promise<ToolOutput> => {
      const max = exact === undefined ? MAX_FOUND + 1 : Number.POSITIVE_INFINITY;
      let isCut = false;
      const onMissed = (): void => {
        isCut = true;
      };
      const hasTimes = exact?.order !== undefined && exact.order.by !== "path";
      const found = await findFiles(target, { matches, max, hasTimes, signal, onMissed });
      const files = inOrder(found, exact?.order, ({ times }, which) => times?.[which] ?? 0).map(
        ({ path: each }) => each,
      );
      const more = files.length > MAX_FOUND ? [`[There are more than ${MAX_FOUND}: use a narrower pattern.]`] : [];
      const output = [...files.slice(0, MAX_FOUND), ...more].join("\n") || "[No file matches.]";
      return exact === undefined ? { output } : { output, data: { kind: "files", files, isCut } };
    });
  },
});

interface Wanted extends WalkOptions {
  readonly matches: GlobMatcher;
  readonly max: number;
  readonly hasTimes: boolean;
}

interface Found {
  readonly path: string;
  readonly times?: FileTimes | undefined;
}

async function findFiles(target: ConfinedPath, { matches, max, hasTimes, ...walk }: Wanted): Promise<readonly Found[]> {
  const directory = await target.directory.enter(target.name);
  const prefix = target.path === "" ? "" : `${target.path}/`;
  const found: Found[] = [];
  try {
    for await (const file of walkFiles(directory, walk)) {
      if (matches(file.path)) found.push({ path: `${prefix}${file.path}`, ...(hasTimes ? await timesIn(file) : {}) });
      if (found.length === max) break;
    }
  } finally {
    await directory.close();
  }
  return found;
}

/** Empty for a file that has vanished in between. */
async function timesIn({ directory, name }: FoundFile): Promise<Pick<Found, "times">> {
  const stat = await lstat(directory.at(name)).catch((reason: unknown) => {
    if (hasCode(reason, "ENOENT")) return undefined;
    throw reason;
  });
  return { times: stat && timesOf(stat) };
}

/** The tools that work on the files of the workspace. */
export function createFileTools(): readonly Tool[] {
  const queue = createWriteQueue();
  return [
    readTool,
    createWriteTool({ queue }),
    createEditTool({ queue }),
    grepTool,
    globTool,
    lsTool,
    mkdirTool,
    rmTool,
    statTool,
  ];
}

interface GlobInput {
  readonly pattern: string;
  readonly path?: string;
}
