import type { TranscriptMessage } from "@caret/protocol";
import type { OutputItem } from "./output-item.ts";

/** A response with what was asked, as far as it was new then. */
export interface KeptResponse {
  readonly id: string;
  /** The response it continued by `previous_response_id`. */
  readonly previousId: string | undefined;
  readonly system: readonly string[];
  readonly messages: readonly TranscriptMessage[];
  readonly output: readonly OutputItem[];
}

/** Where responses are kept beyond this process, each as one text. Never throws. */
export interface ResponseArchive {
  put(
    owner: string,
    response: {
      readonly id: string;
      readonly itemIds: readonly string[];
      readonly sessionId: string;
      readonly body: string;
    },
  ): void;
  find(owner: string, by: { readonly id: string } | { readonly itemId: string }): string | undefined;
}

/**
 * What was answered, for clients that refer to it instead of sending it again. Each owner sees only their own. Nothing is
 * kept for ever: a client must cope with an id that is not known any more.
 */
export interface ItemStore {
  /** `sessionId`: whose words the response holds. */
  keep(owner: string, response: KeptResponse, sessionId: string): void;
  findItem(owner: string, itemId: string): OutputItem | undefined;
  /** The response and all it continued, oldest first; undefined when one of them is not known any more. */
  findChain(owner: string, responseId: string): readonly KeptResponse[] | undefined;
}
