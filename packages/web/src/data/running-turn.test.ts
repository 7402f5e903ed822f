import type { Transcript, TranscriptTurn } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { runningTurnId } from "./running-turn.ts";

function turn(turnId: string, isOver: boolean): TranscriptTurn {
  const open = { turnId, firstSeq: 1, lastSeq: 2, startedAt: 0, lastAt: 0, items: [] };
  return isOver ? { ...open, outcome: { kind: "completed" } } : open;
}

function transcript(...turns: readonly TranscriptTurn[]): Transcript {
  return { lastSeq: 2, turns };
}

describe("runningTurnId", () => {
  it("is the last turn of the log while that has no end", () => {
    expect(runningTurnId(transcript(turn("a", true), turn("b", false)), undefined)).toBe("b");
    expect(runningTurnId(transcript(turn("a", true)), undefined)).toBe(undefined);
  });

  it("believes the list about a turn the log does not have yet", () => {
    const status = { kind: "running", turnId: "b", since: 0 } as const;
    expect(runningTurnId(transcript(turn("a", true)), status)).toBe("b");
  });

  it("believes the log when it knows already that the turn has ended", () => {
    const status = { kind: "running", turnId: "a", since: 0 } as const;
    expect(runningTurnId(transcript(turn("a", true)), status)).toBe(undefined);
  });
});
