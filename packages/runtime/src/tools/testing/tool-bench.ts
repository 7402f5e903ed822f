import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { createOutputStore, type OutputStore } from "../outputs/output-store.ts";
import type { CallPreview, Tool, ToolContext } from "../tool.ts";
import { createToolRegistry, type ToolCallResult, type ToolSource } from "../tool-registry.ts";

/** A workspace with a world outside of it, and the tools that work there. */
export interface ToolBench {
  readonly workspace: string;
  /** Next to the workspace: nothing may be read or written there. */
  readonly outside: string;
  readonly outputs: OutputStore;
  readonly context: ToolContext;
  path(name: string): string;
  write(name: string, content: string | Uint8Array): void;
  read(name: string): string;
  /** Without its duration, which no test can know. */
  call(name: string, input: unknown, context?: Partial<ToolContext>): Promise<Omit<ToolCallResult, "durationMs">>;
  /** What the call would do, or how it would fail. */
  preview(
    name: string,
    input: unknown,
  ): Promise<{ readonly preview: CallPreview } | { readonly failed: Omit<ToolCallResult, "durationMs"> }>;
  remove(): Promise<void>;
}

export interface ToolBenchOptions {
  readonly tools: (outputs: OutputStore) => readonly Tool[];
  readonly sources?: readonly ToolSource[];
  readonly env?: Readonly<Record<string, string>>;
}

export function createToolBench({ tools, sources = [], env = {} }: ToolBenchOptions): ToolBench {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "tools-test-")));
  const [workspace, outside] = [join(directory, "workspace"), join(directory, "outside")];
  mkdirSync(workspace);
  mkdirSync(outside);
  const spawner = createInlineSpawner();
  const outputs = createOutputStore({ parentDir: directory });
  const registry = createToolRegistry(tools(outputs), { outputs, sources });
  const context: ToolContext = {
    workspace,
    signal: new AbortController().signal,
    spawner,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", ...env },
    now: () => performance.now(),
  };
  const path = (name: string): string => join(workspace, name);
  return {
    workspace,
    outside,
    outputs,
    context,
    path,
    write(name, content) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
    },
    read: (name) => readFileSync(path(name), "utf8"),
    async call(name, input, changes = {}) {
      const { durationMs, ...result } = await registry.call(name, input, { ...context, ...changes });
      return result;
    },
    async preview(name, input) {
      const shown = await registry.preview(name, input, context);
      if ("preview" in shown) return shown;
      const { durationMs, ...failed } = shown.failed;
      return { failed };
    },
    async remove() {
      await spawner.close();
      await outputs.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
