import type { NativeClient } from "@caret/protocol";

/** The sessions of a gateway, wherever it runs. */
export interface NativeAccess {
  readonly caret: NativeClient;
  /** What a person should know about it. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}
