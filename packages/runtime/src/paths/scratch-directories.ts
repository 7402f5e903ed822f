import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CaretError } from "@caret/protocol";
import type { EventStore } from "../log/event-store.ts";
import { makePrivateDirectory } from "./private-files.ts";
import { physicalPath, wayInside } from "./way-inside.ts";

const RULE_FILE = join(".cursor", "rules", "caret.mdc");
/** A directory that was just made may belong to a session that is just being written down. */
const YOUNG_MS = 60_000;

/** Empty directories for sessions that have no workspace. Each lives as long as its session. */
export interface ScratchDirectories {
  make(instructions: string): string;
  /**
   * A place beside a session's workspace, always the same one: for its agent, when somebody else runs the tools in the
   * workspace. It is made when it is not there.
   */
  besideWorkspace(sessionId: string): string;
  /** Whether it has been asked for before. */
  hasBeside(sessionId: string): boolean;
  /** Removes it, if it was ever made. */
  removeBeside(sessionId: string): void;
  /** Whether a workspace is one of them. */
  holds(workspace: string): boolean;
  /** Throws for a path that leads to where they are: they belong to their sessions, and are nobody's to ask for. */
  assertElsewhere(path: string): void;
  /** Gives the agent its instructions as a rule that always applies. Only ever in a directory of our own. */
  instruct(place: string, instructions: string): void;
  remove(place: string): void;
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
  const instruct = (place: string, instructions: string): void => {
    if (instructions.trim() === "") return;
    const file = join(place, RULE_FILE);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const head = "---\ndescription: Instructions for this session\nalwaysApply: true\n---\n";
    writeFileSync(file, `${head}\n${instructions.trim()}\n`, { mode: 0o600 });
  };
  const holds = (workspace: string): boolean => dirname(workspace) === root;
  const remove = (place: string): void => {
    if (holds(place)) rmSync(place, { recursive: true, force: true });
  };
  return {
    make(instructions) {
      const place = join(root, options.newId());
      mkdirSync(place, { mode: 0o700 });
      instruct(place, instructions);
      return place;
    },
    besideWorkspace(sessionId) {
      const place = join(root, placeName(sessionId));
      mkdirSync(place, { recursive: true, mode: 0o700 });
      return place;
    },
    hasBeside: (sessionId) => existsSync(join(root, placeName(sessionId))),
    removeBeside: (sessionId) => remove(join(root, placeName(sessionId))),
    holds,
    assertElsewhere(path) {
      if (wayInside(root, physicalPath(path)) !== undefined)
        throw new CaretError("workspace-forbidden", "That directory belongs to a session of Caret's own");
    },
    instruct,
    remove,
    async sweep(store, signal) {
      for (const name of readdirSync(root)) {
        if (signal?.aborted === true) return;
        const place = join(root, name);
        const madeAt = statSync(place, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
        if (options.now() - madeAt < YOUNG_MS) continue;
        const { sessions } = await store.listSessions({ search: name });
        if (!sessions.some(({ id, workspace }) => id === name || workspace === place)) remove(place);
      }
    },
  };
}

/** What to call a session's directory: its id, unless that came from elsewhere and is something a path is made of. */
export function placeName(sessionId: string): string {
  return /^\w[\w-]{0,99}$/.test(sessionId) ? sessionId : createHash("sha256").update(sessionId).digest("hex");
}
