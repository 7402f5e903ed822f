import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "@caret/protocol";
import { z } from "zod";
import type { Git } from "../../git/run-git.ts";
import { liesInRepository, openSnapshots } from "../../git/snapshot-tree.ts";
import { makePrivateDirectory } from "../../paths/private-files.ts";

/** What a session's checkout held when the session began. */
export interface Baseline {
  readonly tree: string;
  readonly takenAt: number;
  /** Where its objects are. */
  readonly objects: string;
}

const baselineSchema = z.object({ tree: z.string(), takenAt: z.number() });

/** Keeps each session's baseline in a directory of its own, beside Caret's data and not in the user's repository. */
export interface Baselines {
  /** Takes one in the background; a workspace that is no repository has none. Never rejects. */
  begin(sessionId: string, workspace: string): void;
  /** Resolves when none is being taken for the session, or after so long. */
  settled(sessionId: string, limitMs: number): Promise<void>;
  find(sessionId: string): Baseline | undefined;
  /** Resolves when none is being taken. */
  close(): Promise<void>;
}

export interface BaselinesOptions {
  readonly git: Git;
  /** A directory that goes with its session; made when missing. */
  readonly directoryOf: (sessionId: string) => string;
  readonly now: () => number;
}

export function createBaselines({ git, directoryOf, now }: BaselinesOptions): Baselines {
  const underWay = new Map<string, Promise<void>>();
  const take = async (sessionId: string, workspace: string): Promise<void> => {
    if (!liesInRepository(workspace)) return;
    const place = join(directoryOf(sessionId), "baseline");
    const objects = join(place, "objects");
    for (const directory of [place, objects]) makePrivateDirectory(directory);
    const takenAt = now();
    const tree = await (await openSnapshots(git, { workspace, objects })).take();
    if (tree === undefined) return;
    writeFileSync(join(place, "baseline.json"), JSON.stringify({ tree, takenAt }), { mode: 0o600 });
  };
  return {
    begin(sessionId, workspace) {
      // Without a baseline the changes are those since the last commit, and are said to be.
      const taking = take(sessionId, workspace)
        .catch(() => undefined)
        .finally(() => underWay.delete(sessionId));
      underWay.set(sessionId, taking);
    },
    async settled(sessionId, limitMs) {
      const taking = underWay.get(sessionId);
      if (taking === undefined) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, limitMs);
      await Promise.race([taking, promise]);
      clearTimeout(timer);
    },
    async close() {
      await Promise.all(underWay.values());
    },
    find(sessionId) {
      const place = join(directoryOf(sessionId), "baseline");
      const file = join(place, "baseline.json");
      if (!existsSync(file)) return undefined;
      const read = baselineSchema.safeParse(parseJson(readFileSync(file, "utf8"), undefined));
      return read.success ? { ...read.data, objects: join(place, "objects") } : undefined;
    },
  };
}
