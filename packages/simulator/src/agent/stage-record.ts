import type { ModelCall, ModelMessage } from "../model/model.ts";
import { estimateUsage, type TurnUsage } from "../output/result-event.ts";

/** What a turn has said and done, as the model will read it in the next one. */
export class StageRecord {
  readonly messages: ModelMessage[];
  readonly #before: number;
  readonly #remember: (added: readonly ModelMessage[]) => void;
  /** Said, and not yet part of a message. */
  #speech = "";

  /** `history` is everything before the turn's first answer, the prompt included; `remember` hears of each message. */
  constructor(history: readonly ModelMessage[], remember: (added: readonly ModelMessage[]) => void) {
    this.messages = [...history];
    this.#before = history.length;
    this.#remember = remember;
  }

  say(text: string): void {
    this.#speech += text;
  }

  /** Ends the message of the assistant, with its calls, if it has said or called anything. */
  endSpeech(calls: readonly ModelCall[] = []): void {
    if (this.#speech === "" && calls.length === 0) return;
    this.add([{ role: "assistant", text: this.#speech, calls }]);
    this.#speech = "";
  }

  add(added: readonly ModelMessage[]): void {
    this.messages.push(...added);
    this.#remember(added);
  }

  /** The usage of a turn whose scenario names none. */
  estimate(): TurnUsage {
    const length = (messages: readonly ModelMessage[]) => JSON.stringify(messages).length;
    return estimateUsage(length(this.messages.slice(0, this.#before)), length(this.messages.slice(this.#before)));
  }
}

/** Without what only a scenario says about a call. */
export function toModelCall({ server, name, args }: ModelCall): ModelCall {
  return server === undefined ? { name, args } : { server, name, args };
}
