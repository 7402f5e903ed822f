import { CaretError, type FleetMemberView, type FleetView } from "@caret/protocol";
import { expect, it } from "vitest";
import { fleetSummary, loadWords, machinesOf, unlistedWaits, waitFix, waitWords } from "./fleet-words.ts";
import { refusalOf } from "./use-fleet.ts";

const member = (changes: Partial<FleetMemberView>): FleetMemberView => ({
  id: "w",
  role: "worker",
  machine: "desk",
  version: "1",
  state: "there",
  lanes: ["sim"],
  capacity: 4,
  atWork: 1,
  seenAt: 0,
  ...changes,
});

const fleet = (changes: Partial<FleetView>): FleetView => ({
  members: [],
  queuedTurns: 0,
  runningTurns: 0,
  leases: 0,
  waiting: [],
  ...changes,
});

it("groups members by machine, machines by name, workers before gateways", () => {
  const members = [
    member({ id: "g", role: "gateway", machine: "rack" }),
    member({ id: "r", machine: "rack" }),
    member({ id: "d" }),
  ];
  expect(machinesOf(members).map(({ machine, members }) => [machine, members.map(({ id }) => id)])).toEqual([
    ["desk", ["d"]],
    ["rack", ["r", "g"]],
  ]);
});

it("counts what runs and waits, and the room of workers that take work", () => {
  const members = [
    member({}),
    member({ id: "full", capacity: 2, atWork: 2 }),
    member({ id: "drained", state: "leaving" }),
    member({ id: "away", state: "away" }),
    member({ id: "g", role: "gateway", capacity: 0, atWork: 0 }),
  ];
  expect([
    fleetSummary(fleet({ members, runningTurns: 3, queuedTurns: 1 })),
    fleetSummary(fleet({ members: members.slice(0, 1), runningTurns: 1 })),
    fleetSummary(fleet({ members: members.slice(2), queuedTurns: 2 })),
    loadWords(member({})),
  ]).toEqual([
    "3 turns run, 1 waits; 2 workers are ready, with room for 3 more",
    "1 turn runs, 0 wait; 1 worker is ready, with room for 3 more",
    "0 turns run, 2 wait; no worker is ready",
    "1 of 4 at work",
  ]);
});

it("says what a turn waits for, and what to do where the wait does not end by itself", () => {
  const waits = [
    { sessionId: "s1", machine: "laptop", reason: "machine-away" },
    { machine: "laptop", reason: "machine-away" },
    { sessionId: "s1", machine: "desk", reason: "behind-a-turn" },
    { sessionId: "s1", machine: "desk", reason: "workers-full" },
    { reason: "workers-full" },
    { reason: "no-worker" },
  ] as const;
  expect(waits.map((wait) => [waitWords(wait), waitFix(wait)])).toEqual([
    [
      "Waiting for laptop: its machine is away",
      "Start `caret worker` on laptop, or `caret sessions move s1 --to MACHINE`.",
    ],
    ["Waiting for laptop: its machine is away", "Start `caret worker` on laptop."],
    ["Waiting: behind another turn of its session", undefined],
    ["Waiting for desk: all workers are full", undefined],
    ["Waiting: all workers are full", undefined],
    ["Waiting: no worker is there", "Start `caret worker` with the fleet's store on a machine with an agent."],
  ]);
});

it("says how many waiting turns the list does not name, and never fewer than none", () => {
  const waiting = [{ turnId: "t", reason: "no-worker", since: 0 }] as const;
  expect([unlistedWaits({ queuedTurns: 120, waiting }), unlistedWaits({ queuedTurns: 0, waiting })]).toEqual([119, 0]);
});

it("stops asking only where the answer will stay the same", () => {
  const errors = [
    new CaretError("not-found", "no fleet"),
    new CaretError("forbidden", "no scope"),
    new CaretError("internal", "the database is away"),
    undefined,
  ];
  expect(errors.map(refusalOf)).toEqual(["no-fleet", "forbidden", undefined, undefined]);
});
