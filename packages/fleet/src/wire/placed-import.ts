/** A worker's answer: a directory on its machine. */
export interface PlacedImport {
  readonly workspace: string;
  readonly machine: string;
}
