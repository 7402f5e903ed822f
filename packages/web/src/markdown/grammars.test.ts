import { expect, it } from "vitest";
import { grammarOf, grammarOfPath } from "./grammars.ts";

it("knows a language by what stands behind a fence, and by the name of a file", () => {
  expect([
    grammarOf("ts title=a.ts"),
    grammarOf("klingon"),
    grammarOfPath("src/app.test.tsx"),
    grammarOfPath("/work/Dockerfile"),
    grammarOfPath("notes.txt"),
    grammarOfPath("LICENSE"),
  ]).toEqual(["typescript", undefined, "tsx", "docker", undefined, undefined]);
});
