import type { Caller, ImportPlace } from "@caret/protocol";
import type { Members } from "../members/members.ts";
import type { PlacedImport } from "../wire/placed-import.ts";
import type { AskWorker } from "./ask-worker.ts";
import { chooseWorker } from "./choose-worker.ts";

/** Chooses the workspace of sessions imported here. A worker decides, since it has the directories. */
export interface ImportedPlaces {
  readonly place: (theirs: string, caller: Caller, where: ImportPlace) => Promise<string>;
  /** The machine chosen for this import; keyed by the same object that `place` was given. */
  machineOf(where: ImportPlace): string | undefined;
}

export function createImportedPlaces({
  members,
  ask,
}: {
  readonly members: Members;
  readonly ask: AskWorker;
}): ImportedPlaces {
  const machines = new WeakMap<ImportPlace, string>();
  return {
    async place(theirs, caller, where) {
      const worker = await chooseWorker(members, { ...where, workspace: theirs });
      const placed = (await ask(worker, "placeImported", [theirs, caller])) as PlacedImport;
      machines.set(where, placed.machine);
      return placed.workspace;
    },
    machineOf: (where) => machines.get(where),
  };
}
