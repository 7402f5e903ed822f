export type TranscriptPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly mediaType: string; readonly data: string }
  | UnpassablePart;

/** Something that no agent can be given, and what to say of it when it is new. */
export interface UnpassablePart {
  readonly kind: "unpassable";
  readonly label: string;
  readonly digest: string;
  readonly refusal: { readonly message: string; readonly fix: string };
}

export interface TranscriptCall {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
}

export type TranscriptMessage =
  | { readonly role: "user"; readonly parts: readonly TranscriptPart[] }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly TranscriptCall[] }
  | {
      readonly role: "tool";
      readonly callId: string;
      readonly parts: readonly TranscriptPart[];
      readonly isError: boolean;
    };

/** What a stateless client sends every time: all that was said so far, the question last. */
export interface Transcript {
  readonly system: string;
  readonly tools: readonly { readonly name: string; readonly namespace?: string | undefined }[];
  readonly messages: readonly TranscriptMessage[];
}
