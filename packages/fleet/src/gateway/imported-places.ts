import type { Caller, ImportPlace } from "@caret/protocol";
import type { Members } from "../wire/members.ts";
import type { AskWorker } from "./ask-worker.ts";
import { chooseWorker } from "./choose-worker.ts";

/** A directory of a machine, as its worker answers. */
export interface PlacedImport {
  readonly workspace: string;
  readonly machine: string;
}

/** Where sessions are to work that are imported here: a worker decides it, since it has the directories. */
export interface ImportedPlaces {
  readonly place: (theirs: string, caller: Caller, where: ImportPlace) => Promise<string>;
  /** The machine that a directory was given on, once. */
  takeMachine(workspace: string): string | undefined;
}

export function createImportedPlaces({
  members,
  ask,
}: {
  readonly members: Members;
  readonly ask: AskWorker;
}): ImportedPlaces {
  const machines = new Map<string, string>();
  return {
    async place(theirs, caller, { machine }) {
      const worker = await chooseWorker(members, { machine, workspace: theirs });
      const placed = (await ask(worker, "placeImported", [theirs, caller])) as PlacedImport;
      machines.set(placed.workspace, placed.machine);
      return placed.workspace;
    },
    takeMachine(workspace) {
      const machine = machines.get(workspace);
      machines.delete(workspace);
      return machine;
    },
  };
}
