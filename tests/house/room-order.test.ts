import { describe, expect, it } from "vitest";
import { readSources, roomFaults } from "./room-imports.ts";
import { roomOrder } from "./room-order.ts";

const order = { runtime: ["git", "lanes", "lanes/cli", "turns", "."] };

/** One file in each room, so that none is gone, with these besides. */
function sourcesWith(more: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const files = {
    "git/diff.ts": "",
    "lanes/lane.ts": "",
    "lanes/cli/cli-lane.ts": "",
    "turns/run-turn.ts": "",
    "index.ts": "",
    ...more,
  };
  return new Map(Object.entries(files).map(([path, text]) => [`packages/runtime/src/${path}`, text]));
}

/** What the check says about an import from git, which is the lowest room. */
const upFromGit = (imported: string, room: string): string =>
  `packages/runtime/src/git/diff.ts imports packages/runtime/src/${imported}: the room "${room}" is above "git". ` +
  'Move what is imported down, into "git" or a room below it, or take it as an option. ' +
  "The order is in tests/house/room-order.ts.";

describe("the rooms of each package", () => {
  it("import only rooms that stand before them in the order, and all have a place in it", () => {
    expect(roomFaults(roomOrder, readSources())).toEqual([]);
  });
});

describe("the check of the rooms' order", () => {
  it.each([
    { what: "a value", text: 'import {\n  runTurn,\n} from "../turns/run-turn.ts";' },
    { what: "a type", text: 'import type { Turn } from "../turns/run-turn.ts";' },
    { what: "a type in the middle of a line", text: 'type Turn = import("../turns/run-turn.ts").Turn;' },
    { what: "a name to give on", text: 'export { runTurn } from "../turns/run-turn.ts";' },
    { what: "a module for its effect", text: 'import "../turns/run-turn.ts";' },
    { what: "a module on demand", text: 'const { runTurn } = await import(\n  "../turns/run-turn.ts"\n);' },
    { what: "the file of a worker", text: 'new Worker(new URL("../turns/run-turn.ts", import.meta.url));' },
  ])("finds $what that a lower room imports from a higher one", ({ text }) => {
    expect(roomFaults(order, sourcesWith({ "git/diff.ts": text }))).toEqual([upFromGit("turns/run-turn.ts", "turns")]);
  });

  it("finds a room that imports its own package by name", () => {
    const faults = roomFaults(order, sourcesWith({ "git/diff.ts": 'import { runTurn } from "@caret/runtime";' }));
    expect(faults).toEqual([upFromGit("index.ts", ".")]);
  });

  it("takes each lane for a room of its own", () => {
    const faults = roomFaults(order, sourcesWith({ "lanes/lane.ts": 'import { cliLane } from "./cli/cli-lane.ts";' }));
    expect(faults).toEqual([
      'packages/runtime/src/lanes/lane.ts imports packages/runtime/src/lanes/cli/cli-lane.ts: the room "lanes/cli" is above "lanes". ' +
        'Move what is imported down, into "lanes" or a room below it, or take it as an option. ' +
        "The order is in tests/house/room-order.ts.",
    ]);
  });

  it("allows what a room imports from itself, from a lower one and from other packages", () => {
    const text = [
      'import { diff } from "../git/diff.ts";',
      'import type { Lane } from "../lanes/lane.ts";',
      'import { endTurn } from "./end-turn.ts";',
      'import { CaretError } from "@caret/protocol";',
    ].join("\n");
    expect(roomFaults(order, sourcesWith({ "turns/run-turn.ts": text, "turns/end-turn.ts": "" }))).toEqual([]);
  });

  it("names a room that has no place, one that is gone, and one that has two places", () => {
    const changed = { runtime: ["git", "lanes", "lanes/cli", "turns", "turns", "log", "."] };
    expect(roomFaults(changed, sourcesWith({ "lanes/acp/acp-lane.ts": "" }))).toEqual([
      "runtime: lanes/acp is a room without a place: put it into tests/house/room-order.ts, above all rooms that it imports.",
      "runtime: log is gone: remove it from tests/house/room-order.ts.",
      "runtime: turns has two places: remove one from tests/house/room-order.ts.",
    ]);
  });
});
