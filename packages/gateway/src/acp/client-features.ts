import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import type { EditorOffer } from "@caret/protocol";

/** What the client has said that it can do. */
export interface ClientFeatures {
  /** Shows forms, so that questions are asked as such. */
  readonly takesForms: boolean;
  readonly takesNotices: boolean;
  /** Its files and terminals, for the tools that the gateway runs. */
  readonly editor: EditorOffer;
}

export function featuresOf({ elicitation, session, fs, terminal = false }: ClientCapabilities = {}): ClientFeatures {
  const { readTextFile: reads = false, writeTextFile: writes = false } = fs ?? {};
  return {
    takesForms: isOffered(elicitation?.form),
    takesNotices: isOffered(session?.notices),
    editor: { reads, writes, terminals: terminal },
  };
}

function isOffered(capability: unknown): boolean {
  return capability !== undefined && capability !== null;
}
