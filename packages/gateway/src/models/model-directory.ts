/** One of the ways to run a model: its effort, its thinking, its speed. */
export interface DirectoryVariant {
  readonly id: string;
  readonly name?: string;
}

export interface DirectoryModel {
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  /** Milliseconds since the epoch, if anyone knows. */
  readonly created?: number;
  readonly variants?: readonly DirectoryVariant[];
}

/** The models a client may ask for. Rejects with a CaretError when nobody can list them. */
export interface ModelDirectory {
  list(): Promise<readonly DirectoryModel[]>;
}
