import { subscribe } from "node:diagnostics_channel";

/** Unit tests share a process: one that starts another belongs in a process of its own. */
subscribe("child_process", () => {
  throw new Error("A unit test has started a process: list its file in tests/projects/process-tests.ts");
});
