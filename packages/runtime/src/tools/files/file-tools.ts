import { defineTool, type Tool, type ToolOutput } from "../tool.ts";
import { type ConfinedPath, withConfined } from "./confined-path.ts";
import { lsTool, mkdirTool, rmTool, statTool } from "./directory-tools.ts";
import { createEditTool } from "./edit-tool.ts";
import { compileGlob, type GlobMatcher } from "./glob-pattern.ts";
import { grepTool } from "./grep-tool.ts";
import { readTool } from "./read-tool.ts";
import { type WalkOptions, walkFiles } from "./walk-files.ts";
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
      const files = await findFiles(target, { matches, max, signal, onMissed });
      const more = files.length > MAX_FOUND ? [`[There are more than ${MAX_FOUND}: use a narrower pattern.]`] : [];
      const output = [...files.slice(0, MAX_FOUND), ...more].join("\n") || "[No file matches.]";
      return exact === undefined ? { output } : { output, data: { kind: "files", files, isCut } };
    });
  },
});

interface Wanted extends WalkOptions {
  readonly matches: GlobMatcher;
  readonly max: number;
}

async function findFiles(target: ConfinedPath, { matches, max, ...walk }: Wanted): Promise<readonly string[]> {
  const directory = await target.directory.enter(target.name);
  const prefix = target.path === "" ? "" : `${target.path}/`;
  const found: string[] = [];
  try {
    for await (const file of walkFiles(directory, walk)) {
      if (matches(file.path)) found.push(`${prefix}${file.path}`);
      if (found.length === max) break;
    }
  } finally {
    await directory.close();
  }
  return found;
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
