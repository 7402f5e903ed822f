import { expect, it } from "vitest";
import { createMentions } from "./mentions.ts";

const call = (path: string) => ({ name: "read", input: { path } });

/** Records the order in which calls were let through. */
function bench() {
  const mentions = createMentions();
  const passed: string[] = [];
  const arrive = async (path: string, limitMs?: number): Promise<void> => {
    await mentions.wait(call(path), limitMs);
    passed.push(path);
  };
  return { mentions, passed, arrive };
}

it("lets calls through in the order in which the agent asked for them, in whichever they come", async () => {
  const { mentions, passed, arrive } = bench();
  for (const path of ["a", "b", "c"]) mentions.note(call(path));
  await Promise.all(["c", "a", "b"].map((path) => arrive(path)));
  expect({ passed, outstanding: mentions.outstanding() }).toEqual({ passed: ["a", "b", "c"], outstanding: 0 });
});

it("keeps the order when calls come before they are mentioned", async () => {
  const { mentions, passed, arrive } = bench();
  const all = Promise.all(["b", "a"].map((path) => arrive(path, 10_000)));
  mentions.note(call("a"));
  mentions.note(call("b"));
  await all;
  expect(passed).toEqual(["a", "b"]);
});

it("tells equal calls apart by their number", async () => {
  const { mentions, passed, arrive } = bench();
  for (const path of ["a", "a", "b"]) mentions.note(call(path));
  await Promise.all(["b", "a", "a"].map((path) => arrive(path)));
  expect(passed).toEqual(["a", "a", "b"]);
});

it("lets a call through that is never mentioned, and ignores a mention that comes after it", async () => {
  const { mentions, passed, arrive } = bench();
  await arrive("a", 0);
  mentions.note(call("a"));
  expect({ passed, outstanding: mentions.outstanding() }).toEqual({ passed: ["a"], outstanding: 0 });
});

it("does not wait for ever for a call that was mentioned and never comes", async () => {
  const { mentions, passed, arrive } = bench();
  mentions.note(call("lost"));
  mentions.note(call("a"));
  const counts = [mentions.outstanding()];
  await arrive("a");
  counts.push(mentions.outstanding());
  expect({ passed, counts }).toEqual({ passed: ["a"], counts: [2, 0] });
});
