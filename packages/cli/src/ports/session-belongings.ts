import { randomUUID } from "node:crypto";
import { join } from "node:path";
import {
  createSpawner,
  keptWorktrees,
  openAnswerArchive,
  openAttachments,
  openConversationStore,
  openScratchDirectories,
  type SessionBelongings,
  sandboxDirectories,
} from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import { sandboxesRoot } from "../engine/machine-sandboxes.ts";
import type { LogWork } from "../store/log-work.ts";
import { scratchRoot } from "../workspaces/workspace-access.ts";

/** Directory of the images in prompts. */
export function attachmentsRoot(config: Config): string {
  return join(config.dataDir, "attachments");
}

/** Opens everything that belongs to sessions, for commands that work beside the gateway. */
export async function withBelongings<Result>(
  { host, config, store }: LogWork,
  work: (belongings: SessionBelongings) => Promise<Result>,
): Promise<Result> {
  const spawner = createSpawner({ mode: "inline", dataDir: config.dataDir });
  const attachments = openAttachments(attachmentsRoot(config));
  try {
    return await work({
      store,
      scratch: openScratchDirectories({ root: scratchRoot(config), newId: randomUUID, now: Date.now }),
      attachments,
      answers: openAnswerArchive({ directory: config.dataDir }),
      sandboxes: sandboxDirectories(sandboxesRoot(config)),
      upstreamState: openConversationStore({ directory: config.dataDir }),
      worktrees: keptWorktrees({ git: { spawner, env: host.env }, directoryOf: attachments.directory }),
    });
  } finally {
    await spawner.close();
  }
}
