import type { Tool } from "../tool.ts";
import { lsTool, mkdirTool, rmTool, statTool } from "./directory-tools.ts";
import { createEditTool } from "./edit-tool.ts";
import { globTool } from "./glob-tool.ts";
import { grepTool } from "./grep-tool.ts";
import { readTool } from "./read-tool.ts";
import { createWriteQueue } from "./write-queue.ts";
import { createWriteTool } from "./write-tool.ts";

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
