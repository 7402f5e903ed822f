import { defineTool, type Tool } from "../tool.ts";
import { withConfined } from "./confined-path.ts";
import { lsTool, mkdirTool, rmTool, statTool } from "./directory-tools.ts";
import { createEditTool } from "./edit-tool.ts";
import { compileGlob } from "./glob-pattern.ts";
import { grepTool } from "./grep-tool.ts";
import { readTool } from "./read-tool.ts";
import { walkFiles } from "./walk-files.ts";
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
  run({ pattern, path = "." }, { workspace, judgedPaths, signal }) {
    const matches = compileGlob(pattern);
    return withConfined({ workspace, judgedPaths, path }, async (target) => {
      const directory = await target.directory.enter(target.name);
      const prefix = target.path === "" ? "" : `${target.path}/`;
      const found: string[] = [];
      try {
        for await (const file of walkFiles(directory, signal)) {
          if (!matches(file.path)) continue;
          if (found.length === MAX_FOUND) {
            found.push(`[There are more than ${MAX_FOUND}: use a narrower pattern.]`);
            break;
          }
          found.push(`${prefix}${file.path}`);
        }
      } finally {
        await directory.close();
      }
      return { output: found.join("\n") || "[No file matches.]" };
    });
  },
});

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
