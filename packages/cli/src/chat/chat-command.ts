import type { NativeClient, SessionView } from "@caret/protocol";
import type { Look } from "../terminal/look.ts";
import type { ChatSession } from "./chat-session.ts";

/** One of several things that a person may choose or complete. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

/** What commands are given: the session that is open, and the terminal. */
export interface ChatControls {
  readonly client: NativeClient;
  readonly chat: ChatSession;
  readonly look: Look;
  /** How a person starts Caret here. */
  readonly command: string;
  readonly now: () => number;
  /** Shows lines below the transcript. They are as they should be printed. */
  readonly note: (lines: readonly string[]) => void;
  /** Has a person choose; undefined when none was chosen. */
  readonly pick: (title: string, choices: readonly Choice[]) => Promise<string | undefined>;
  /** Shows another session; a new one without a view. */
  readonly open: (view: SessionView | undefined) => Promise<void>;
  readonly toggleDetails: () => void;
  readonly leave: () => void;
}

/** What is typed as `/name argument`. */
export interface ChatCommand {
  readonly name: string;
  /** What the help shows behind the name. */
  readonly argument?: string;
  readonly summary: string;
  /** What the argument may be. */
  readonly choices?: (controls: Pick<ChatControls, "client" | "chat">) => Promise<readonly Choice[]>;
  readonly run: (controls: ChatControls, argument: string) => Promise<void> | void;
}
