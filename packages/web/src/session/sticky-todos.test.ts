import type { Todo, TranscriptTurn } from "@caret/protocol";
import { expect, it } from "vitest";
import { openTodos } from "./sticky-todos.tsx";

const todo = (status: Todo["status"]): Todo => ({ id: "1", content: "Read it", status });
const turn = (lists: readonly (readonly Todo[])[], isOver = false): TranscriptTurn => ({
  turnId: "t",
  firstSeq: 1,
  lastSeq: 1,
  startedAt: 0,
  lastAt: 0,
  items: lists.map((items, seq) => ({ kind: "todos", seq, items })),
  ...(isOver && { outcome: { kind: "completed" } }),
});

it("is the newest list of the last turn while something is left to do", () => {
  expect([
    openTodos([turn([[todo("pending")], [todo("in-progress")]])]),
    openTodos([turn([[todo("in-progress")], [todo("completed")]])]),
    openTodos([turn([[todo("pending")]], true)]),
    openTodos([]),
  ]).toEqual([[todo("in-progress")], undefined, [todo("pending")], undefined]);
});

it("is the list of the turn before while the next one runs without its own", () => {
  expect([
    openTodos([turn([[todo("pending")]], true), turn([])]),
    openTodos([turn([[todo("pending")]]), turn([], true)]),
  ]).toEqual([[todo("pending")], undefined]);
});
