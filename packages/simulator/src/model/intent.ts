/** A text that is known now, or one that an earlier step of the same turn will provide. */
export type Content =
  | { readonly from: "prompt"; readonly text: string }
  | { readonly from: "last-output" }
  | { readonly from: "last-number" }
  /** The file as the last step read it, with a text at its end. */
  | { readonly from: "appending"; readonly text: string };

/** One thing a person asks to have done with a tool. */
export type Intent =
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "list"; readonly path: string }
  | { readonly kind: "search"; readonly pattern: string; readonly path: string }
  | { readonly kind: "find"; readonly glob: string }
  | { readonly kind: "run"; readonly command: string }
  | { readonly kind: "write"; readonly path: string; readonly content: Content }
  | { readonly kind: "edit"; readonly path: string; readonly oldText: string; readonly newText: string }
  | { readonly kind: "delete"; readonly path: string }
  | { readonly kind: "fetch"; readonly url: string }
  | { readonly kind: "web-search"; readonly query: string }
  | { readonly kind: "ask"; readonly question: string; readonly options: readonly string[] }
  | { readonly kind: "delegate"; readonly prompt: string }
  | { readonly kind: "call"; readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: "plan"; readonly prompt: string };

/** What is done at once; the steps of a prompt follow one another. */
export type Step = readonly Intent[];
