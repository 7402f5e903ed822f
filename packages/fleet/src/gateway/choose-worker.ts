import { CaretError } from "@caret/protocol";
import type { Member, Members } from "../members/members.ts";
import { sharedTarget } from "../wire/shared-target.ts";

export interface WantedPlace {
  /** The machine it must be on. Undefined: any. */
  readonly machine?: string | undefined;
  /** A directory that the machine should have. */
  readonly workspace?: string | undefined;
}

/**
 * Chooses the worker with the most room: of the given machine, else preferably of one that has the directory. Returns the machine's shared
 * target if that worker takes shared commands.
 */
export async function chooseWorker(members: Members, { machine, workspace }: WantedPlace): Promise<string> {
  const there = (await members.list()).filter(
    (member) =>
      member.role === "worker" && member.isThere && !member.isLeaving && (machine ?? member.machine) === member.machine,
  );
  const having = there.filter((worker) => workspace !== undefined && allows(worker, workspace));
  // If no worker lists the directory, the chosen one reports why it cannot use it.
  const [best] = (having.length > 0 ? having : there).toSorted((one, other) => room(other) - room(one));
  if (best !== undefined) return best.about.takesShared === true ? sharedTarget(best.machine) : best.id;
  throw new CaretError("agent-unavailable", machine === undefined ? "No worker is there" : machineAway(machine), {
    fix: "Start `caret worker` there, or wait until it is back.",
  });
}

export function machineAway(machine: string): string {
  return `Waiting for the machine ${machine}: no worker of it is there`;
}

function room({ about: { capacity = 0, atWork = 0 } }: Member): number {
  return capacity - atWork;
}

function allows({ about: { workspaces = [] } }: Member, directory: string): boolean {
  return workspaces.some((allowed) => directory === allowed || directory.startsWith(`${allowed.replace(/\/$/, "")}/`));
}
