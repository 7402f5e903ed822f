import { writeFileSync } from "node:fs";
import type { AgentEvent } from "@caret/protocol";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { decodeChunks } from "../../decode/testing/decode-lines.ts";
import * as fixtures from "../../decode/testing/fixtures.ts";
import { joinDeltas } from "../../turns/compact-entries.ts";
import { pullTurn } from "../testing/pull-turn.ts";
import { createCliLane } from "./cli-lane.ts";
import { type CliBench, collectEvents, createCliBench, unstopped } from "./testing/cli-bench.ts";

let bench: CliBench;
beforeEach(() => {
  bench = createCliBench();
});
afterEach(() => bench.close());

/** What a live program comes to that prints these bytes in two pieces, started as Cursor's CLI or with a turn on its standard input. */
async function playLive(bytes: Buffer, cut: number, style: "official" | "contract"): Promise<readonly AgentEvent[]> {
  const file = bench.workbench.path("output");
  writeFileSync(file, bytes);
  const command = bench.agent(`cat > /dev/null; head -c ${cut} "${file}"; sleep 0.01; tail -c +${cut + 1} "${file}"`);
  const entry = { promptAsArg: false, authProfiles: [], fallbackModels: [], enabled: true };
  const own = { ...entry, command: "/bin/sh", args: ["-c", `head -c 1 > /dev/null; . "${command}" < /dev/null`] };
  const programs = { command, args: [], promptAsArg: false, models: style === "contract" ? { own } : {} };
  const lane = createCliLane({ name: "cli", host: bench.host({ programs }) });
  const model = style === "contract" ? "own" : "auto";
  return plain(await collectEvents(pullTurn(lane, bench.request({ model }), unstopped())));
}

/** Without the lane's addition: the program's version. */
function plain(events: readonly AgentEvent[]): readonly AgentEvent[] {
  const whole = joinDeltas(events.map((event) => ({ event }))).map(({ event }) => event);
  return whole.flatMap((event): readonly AgentEvent[] => {
    if (event.type !== "session-ready") return [event];
    const { version: _, ...rest } = event;
    return Object.keys(rest).length === 1 ? [] : [rest];
  });
}

const cuts = fc.double({ min: 0, max: 1, noNaN: true });

/** A live program gives the same events as the decoder alone, wherever its output is cut. */
async function assertSame(bytes: Buffer, style: "official" | "contract"): Promise<void> {
  const alone = plain(decodeChunks([bytes], { dialect: "auto", partial: true, joinsDeltas: true }));
  const property = fc.asyncProperty(cuts, async (share) => {
    expect(await playLive(bytes, Math.floor(share * bytes.length), style)).toEqual(alone);
  });
  await fc.assert(property, { numRuns: 4 });
}

it.each(Object.entries(fixtures))(
  "a live program that prints the %s is read as the decoder reads it alone",
  (_, bytes) => assertSame(bytes, "official"),
);

// The contract's own calls are run or refused if a program gets a turn to read.
it("a program that is given a turn to read may answer with the payload shape", () =>
  assertSame(fixtures.payloadFixture, "contract"));
