import { randomUUID } from "node:crypto";
import { join } from "node:path";
import {
  type EventStore,
  openAnswerArchive,
  openAttachments,
  openConversationStore,
  openScratchDirectories,
  type SessionBelongings,
  sandboxDirectories,
} from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import { sandboxesRoot } from "../machine-sandboxes.ts";
import { scratchRoot } from "../workspaces/workspace-access.ts";

/** Where the images of prompts are kept. */
export function attachmentsRoot(config: Config): string {
  return join(config.dataDir, "attachments");
}

/** Where there is anything of a session, for commands that work beside the gateway. */
export function sessionBelongings(config: Config, store: EventStore): SessionBelongings {
  return {
    store,
    scratch: openScratchDirectories({ root: scratchRoot(config), newId: randomUUID, now: Date.now }),
    attachments: openAttachments(attachmentsRoot(config)),
    answers: openAnswerArchive({ directory: config.dataDir }),
    sandboxes: sandboxDirectories(sandboxesRoot(config)),
    upstreamState: openConversationStore({ directory: config.dataDir }),
  };
}
