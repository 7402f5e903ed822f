import { sessionsAndEvents } from "./0001-sessions-and-events.ts";
import { whatListsShow } from "./0002-what-lists-show.ts";
import { hiddenSessionsAndCommands } from "./0003-hidden-sessions-and-commands.ts";
import { lanesOfTurns } from "./0004-lanes-of-turns.ts";
import { sandboxesOfSessions } from "./0005-sandboxes-of-sessions.ts";
import { agentsAndMessages } from "./0006-agents-and-messages.ts";
import { serversOfAgents } from "./0007-servers-of-agents.ts";
import { whatWasSaid } from "./0008-what-was-said.ts";
import { promptsAndForks } from "./0009-prompts-and-forks.ts";
import { pinnedSessions } from "./0010-pinned-sessions.ts";
import { users } from "./0011-users.ts";

/**
 * In order, starting with number 1. A released migration is never edited; a change is a new one. Each first inserts its own number, so it
 * can never run twice.
 */
export const migrations: readonly string[] = [
  sessionsAndEvents,
  whatListsShow,
  hiddenSessionsAndCommands,
  lanesOfTurns,
  sandboxesOfSessions,
  agentsAndMessages,
  serversOfAgents,
  whatWasSaid,
  promptsAndForks,
  pinnedSessions,
  users,
];
