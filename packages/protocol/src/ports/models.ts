/** The client's wishes for the model, before lookup. */
export interface RequestedModel {
  readonly model: string | undefined;
  /** OpenCode's variants put the exact model here. */
  readonly cursorModel: string | undefined;
  readonly effort: string | undefined;
  readonly thinking: boolean | undefined;
}

export interface DirectoryModel {
  readonly id: string;
  /** Display name. */
  readonly name: string;
  readonly isDefault: boolean;
  /** Milliseconds since the epoch, if known. */
  readonly created?: number;
  /** Context window in tokens, if upstream reports it. */
  readonly contextTokens?: number;
  /** Whether it accepts images, if upstream says so. */
  readonly images?: boolean;
  /** Listed ids that differ only in effort, thinking and speed; absent if the model has only one. */
  readonly variants?: readonly { readonly id: string; readonly name: string }[];
  /** The variant that the model's own id runs. */
  readonly defaultVariant?: string;
  /** Turns run in Max mode, which costs more. */
  readonly maxMode?: true;
}

/** The models a client can request: those listed upstream plus those in the configuration. */
export interface ModelDirectory {
  /** Rejects if there is no list and fetching one fails. */
  list(): Promise<readonly DirectoryModel[]>;
  /** Fetches the list from upstream. Rejects with `session-busy` while turns run. */
  refresh(): Promise<readonly DirectoryModel[]>;
  /** Returns the id to run. Rejects with `model-unknown`, naming the nearest ids. */
  resolve(requested: RequestedModel): Promise<string>;
}
