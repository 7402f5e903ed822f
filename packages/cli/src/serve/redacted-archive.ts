import type { KeptResponse, ResponseArchive } from "@caret/gateway";
import type { TranscriptMessage } from "@caret/protocol";
import { type AnswerArchive, knownAs, type Redactor } from "@caret/runtime";

/**
 * Redacts responses before they are stored, so a client that continues one after a restart continues without secrets. A redacted message
 * keeps a digest of what the client sent, so its conversation is still found.
 */
export function redactedArchive(archive: AnswerArchive, redactor: () => Redactor): ResponseArchive {
  return {
    async put(owner, { body, ...response }) {
      const sent = JSON.parse(body) as KeptResponse;
      const { id, previousId, conversation, ...words } = sent;
      const redacted = redactor().redactValue(words);
      const messages = redacted.messages.map((message, index) => marked(message, sent.messages[index]));
      const kept: KeptResponse = { ...redacted, id, previousId, conversation, messages };
      await archive.put(owner, { ...response, body: JSON.stringify(kept) });
    },
    find: (owner, by) => archive.find(owner, by),
  };
}

function marked(redacted: TranscriptMessage, sent: TranscriptMessage | undefined): TranscriptMessage {
  if (sent === undefined || sent === redacted || redacted.role === "assistant") return redacted;
  const digest = knownAs(sent);
  return digest === undefined ? redacted : { ...redacted, knownAs: digest };
}
