import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CaretError } from "@caret/protocol";
import type { EventStore } from "../log/event-store.ts";
import { hasLogAside } from "../log/sqlite/log-aside.ts";
import { physicalPath, wayInside } from "../paths/physical-path.ts";
import { makePrivateDirectory } from "../paths/private-files.ts";
import { directoryName } from "../paths/session-directory.ts";

const RULE_FILE = join(".cursor", "rules", "caret.mdc");
/** A directory that was just made may belong to a session that is just being written down. */
const YOUNG_MS = 60_000;

/** Empty directories for sessions that have no workspace. Each lives as long as its session. */
export interface ScratchDirectories {
  make(instructions: string): string;
  /**
   * A directory beside a session's workspace, always the same one: for its agent, when the gateway or a client runs the tools in the
   * workspace. Created on first use.
   */
  besideWorkspace(sessionId: string): string;
  /** Whether it has been asked for before. */
  hasBeside(sessionId: string): boolean;
  /** Removes it, if it was ever made. */
  removeBeside(sessionId: string): void;
  /** Whether a workspace is one of them. */
  holds(workspace: string): boolean;
  /** Throws for a path that leads to one of them: they belong to their sessions and cannot be requested. */
  assertElsewhere(path: string): void;
  /** Gives the agent its instructions as a rule that always applies. Only ever in a directory of our own. */
  instruct(directory: string, instructions: string): void;
  remove(directory: string): void;
  /** Removes what sessions that are gone have left behind. */
  sweep(store: EventStore, signal?: AbortSignal): Promise<void>;
}

export function openScratchDirectories(options: {
  readonly root: string;
  readonly newId: () => string;
  readonly now: () => number;
}): ScratchDirectories {
  makePrivateDirectory(options.root);
  const root = realpathSync(options.root);
  const instruct = (directory: string, instructions: string): void => {
    if (instructions.trim() === "") return;
    const file = join(directory, RULE_FILE);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const head = "---\ndescription: Instructions for this session\nalwaysApply: true\n---\n";
    writeFileSync(file, `${head}\n${instructions.trim()}\n`, { mode: 0o600 });
  };
  const holds = (workspace: string): boolean => dirname(workspace) === root;
  const remove = (directory: string): void => {
    if (holds(directory)) rmSync(directory, { recursive: true, force: true });
  };
  const isYoung = (directory: string): boolean => {
    const madeAt = statSync(directory, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
    return options.now() - madeAt < YOUNG_MS;
  };
  return {
    make(instructions) {
      const directory = join(root, options.newId());
      mkdirSync(directory, { mode: 0o700 });
      instruct(directory, instructions);
      return directory;
    },
    besideWorkspace(sessionId) {
      const directory = join(root, directoryName(sessionId));
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      return directory;
    },
    hasBeside: (sessionId) => existsSync(join(root, directoryName(sessionId))),
    removeBeside: (sessionId) => remove(join(root, directoryName(sessionId))),
    holds,
    assertElsewhere(path) {
      if (wayInside(root, physicalPath(path)) !== undefined)
        throw new CaretError("workspace-forbidden", "That directory belongs to a session of Caret's own");
    },
    instruct,
    remove,
    async sweep(store, signal) {
      if (hasLogAside(dirname(options.root))) return;
      for (const name of readdirSync(root)) {
        if (signal?.aborted === true) return;
        const directory = join(root, name);
        if (!isYoung(directory) && !(await isUsed(store, name))) remove(directory);
      }
    },
  };
}

/** By its name, which no two have: the data directory may have been moved, or be reached by another way. */
async function isUsed(store: EventStore, name: string): Promise<boolean> {
  const { sessions } = await store.listSessions({ search: name });
  return sessions.some(({ id, workspace }) => id === name || basename(workspace) === name);
}
