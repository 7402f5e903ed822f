/** What a client says about the model, before it is looked up. */
export interface RequestedModel {
  readonly model: string | undefined;
  /** OpenCode's variants name the exact model here. */
  readonly cursorModel: string | undefined;
  readonly effort: string | undefined;
  readonly thinking: boolean | undefined;
}

export interface DirectoryModel {
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  readonly isDefault: boolean;
  /** Milliseconds since the epoch, if known. */
  readonly created?: number;
  /** How much it takes at once, where upstream says so. */
  readonly contextTokens?: number;
  /** Whether it takes pictures, where upstream says so. */
  readonly images?: boolean;
  /** The listed ids that differ only in effort, thinking and speed; absent when there is but one. */
  readonly variants?: readonly { readonly id: string; readonly name: string }[];
  /** The variant that is run when the model is asked for by its own id. */
  readonly defaultVariant?: string;
  /** Turns run in Max mode, which costs more. */
  readonly maxMode?: true;
}

/** The models that a client may ask for: those upstream lists, and those the configuration names. */
export interface ModelDirectory {
  /** Rejects when there is no list and none could be fetched. */
  list(): Promise<readonly DirectoryModel[]>;
  /** Asks upstream now. Rejects with `session-busy` while turns run. */
  refresh(): Promise<readonly DirectoryModel[]>;
  /** The id to run. Rejects with `model-unknown`, which names the nearest ones. */
  resolve(requested: RequestedModel): Promise<string>;
}
