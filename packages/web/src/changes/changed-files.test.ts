import type { ChangedFile } from "@caret/protocol";
import { expect, it } from "vitest";
import { initiallyOpen } from "./changed-files.tsx";

const file = (path: string, lines: number | undefined, status: ChangedFile["status"] = "modified"): ChangedFile => ({
  path,
  status,
  ...(lines !== undefined && { unified: "x\n".repeat(lines) }),
});

it("opens what can be read at once", () => {
  expect([...initiallyOpen([file("a", 100), file("b", 200), file("c", 200), file("d", 1)])]).toEqual(["a", "b"]);
});

it("opens the first file that has a diff, however long it is", () => {
  expect([...initiallyOpen([file("logo.png", undefined), file("long", 9000), file("short", 1)])]).toEqual(["long"]);
});

it("leaves deleted files closed: their lines are gone, and were known before", () => {
  expect([...initiallyOpen([file("old", 10, "deleted"), file("a", 10)])]).toEqual(["a"]);
});
