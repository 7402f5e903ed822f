/** A directory of a machine, as its worker answers. */
export interface PlacedImport {
  readonly workspace: string;
  readonly machine: string;
}
