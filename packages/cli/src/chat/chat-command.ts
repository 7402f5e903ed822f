import type { NativeClient, SessionView } from "@caret/protocol";
import type { Look } from "../terminal/look.ts";
import type { ChatSession } from "./chat-session.ts";

/** One option to choose or complete. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

/** What commands work with: the open session and the terminal. */
export interface ChatControls {
  readonly client: NativeClient;
  readonly chat: ChatSession;
  readonly look: Look;
  /** How a person starts Caret here. */
  readonly command: string;
  readonly now: () => number;
  /** Shows lines below the transcript, verbatim. */
  readonly note: (lines: readonly string[]) => void;
  /** Lets the person choose; undefined if they chose nothing. */
  readonly pick: (title: string, choices: readonly Choice[]) => Promise<string | undefined>;
  /** Switches to another session; without a view, to a new one. */
  readonly open: (view: SessionView | undefined) => Promise<void>;
  readonly toggleDetails: () => void;
  readonly leave: () => void;
}

/** A command typed as `/name argument`. */
export interface ChatCommand {
  readonly name: string;
  /** Placeholder shown after the name in the help. */
  readonly argument?: string;
  readonly summary: string;
  /** Possible arguments. */
  readonly choices?: (controls: Pick<ChatControls, "client" | "chat">) => Promise<readonly Choice[]>;
  readonly run: (controls: ChatControls, argument: string) => Promise<void> | void;
}
