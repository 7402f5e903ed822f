import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import type { EditorOffer } from "@caret/protocol";

/** The features the client has declared. */
export interface ClientFeatures {
  /** Shows forms, so questions can be asked as forms. */
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
