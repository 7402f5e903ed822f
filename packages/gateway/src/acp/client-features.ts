import type { ClientCapabilities } from "@agentclientprotocol/sdk";

/** What the client has said that it can do. */
export interface ClientFeatures {
  /** Shows forms, so that questions are asked as such. */
  readonly takesForms: boolean;
  readonly takesNotices: boolean;
}

export function featuresOf({ elicitation, session }: ClientCapabilities = {}): ClientFeatures {
  return { takesForms: isOffered(elicitation?.form), takesNotices: isOffered(session?.notices) };
}

function isOffered(capability: unknown): boolean {
  return capability !== undefined && capability !== null;
}
