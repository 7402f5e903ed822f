/** A call that the client is asked to run. */
export interface AskedCall {
  readonly callId: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly text: string;
  readonly calls: readonly AskedCall[];
}

export interface GivenResult {
  readonly callId: string;
  readonly text: string;
}

/** Where a dialogue is held; it may move to another gateway in between, as after a restart. */
export interface Address {
  readonly url: string;
  readonly token: string;
}

/**
 * A client's side of one conversation, whichever door it goes through: it keeps the transcript and sends all of it each
 * time, as clients do.
 */
export interface Dialogue {
  say(text: string): Promise<Answer>;
  /** Results go out in the order in which they are given. */
  give(...results: readonly GivenResult[]): Promise<Answer>;
  moveTo(address: Address): void;
}

export type OpenDialogue = (address: Address) => Dialogue;
