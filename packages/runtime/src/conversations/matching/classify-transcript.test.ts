import type { TranscriptMessage } from "@caret/protocol";
import { beforeEach, describe, expect, it } from "vitest";
import type { TranscriptMatch } from "./classify-transcript.ts";
import type { TurnState } from "./find-origin.ts";
import type { LineageRecord } from "./lineage-store.ts";
import type { TranscriptQuestion } from "./read-question.ts";
import { answer, asking, createLineageBench, result, tools, user } from "./testing/lineage-bench.ts";

let bench: ReturnType<typeof createLineageBench>;
beforeEach(() => {
  bench = createLineageBench();
});
const ask = (question: TranscriptQuestion, outcome?: NonNullable<LineageRecord["outcome"]> | "none"): string =>
  bench.ask(question, outcome);
const classify = (question: TranscriptQuestion, state?: TurnState): TranscriptMatch => bench.classify(question, state);

describe("a conversation", () => {
  it("goes on in its session, with only what is new", () => {
    ask(asking([user("A")]));
    const verdict = classify(asking([user("A"), answer("a"), user("B")]));
    expect(verdict).toMatchObject({ relation: "continuation", sessionId: "s1", newFrom: 2, heardBefore: 1 });
  });

  it("is recognised however the client renders the assistant's words and the space around its own", () => {
    ask(asking([user("A")]));
    expect(ask(asking([user(" A\n"), answer("something else"), answer("and more"), user("B")]))).toBe(
      "continuation s1",
    );
  });

  it("goes on with the results of tools", () => {
    ask(asking([user("A")]));
    const messages = [user("A"), answer(""), result("c1", "one"), result("c2", "two")];
    expect(classify(asking(messages))).toMatchObject({ relation: "continuation", newFrom: 2, heardBefore: 1 });
  });

  it("does not mind in which order the tools are listed", () => {
    ask(asking([user("A")]));
    expect(ask(asking([user("A"), answer("a"), user("B")], { tools: tools.toReversed() }))).toBe("continuation s1");
  });

  it("goes on when the client adds system messages, and tells what was added", () => {
    ask(asking([user("A")]));
    const grown = { system: "You are a coder.\n\nThe date is today." };
    const second = asking([user("A"), answer("a"), user("B")], grown);
    expect(classify(second)).toMatchObject({ relation: "continuation", addedSystem: "The date is today." });
    ask(second);
    const third = asking([...second.messages, answer("b"), user("C")], { system: `${grown.system}\n\nBe brief.` });
    expect(classify(third)).toMatchObject({ relation: "continuation", sessionId: "s1", addedSystem: "Be brief." });
  });

  it("differs from another with the same words but another key, caller or workspace", () => {
    ask(asking([user("A")]));
    const next = [user("A"), answer("a"), user("B")];
    expect(ask(asking(next, { sessionKey: "other" }))).toBe("new s2");
    expect(ask(asking(next, { place: ["you"] }))).toBe("new s3");
  });

  it("needs no key", () => {
    const unnamed = { sessionKey: undefined };
    expect([
      ask(asking([user("A")], unnamed)),
      ask(asking([user("X")], unnamed)),
      ask(asking([user("A"), answer("a"), user("B")], unnamed)),
      ask(asking([user("X"), answer("x"), user("Y")], unnamed)),
    ]).toEqual(["new s1", "new s2", "continuation s1", "continuation s2"]);
  });
});

describe("conversations without a name that begin alike", () => {
  const unnamed = (...messages: TranscriptMessage[]) => asking(messages, { sessionKey: undefined });
  const [a, b, c] = [user("A"), user("B"), user("C")];

  it("part at once, since nobody can tell which of them goes on", () => {
    expect([
      ask(unnamed(a)),
      ask(unnamed(a)),
      ask(unnamed(a, answer(""), b)),
      ask(unnamed(a, answer(""), c)),
      ask(unnamed(a, answer(""), b, answer(""), c)),
    ]).toEqual(["new s1", "new s2", "divergence s3", "divergence s4", "continuation s3"]);
  });

  it("do not take over each other's failed turns", () => {
    ask(unnamed(a));
    ask(unnamed(a, answer(""), b), "failed");
    ask(unnamed(a));
    expect(ask(unnamed(a, answer(""), b))).toBe("divergence s4");
  });

  it("still let one that is alone try again in its session", () => {
    ask(unnamed(a));
    ask(unnamed(a, answer(""), b), "failed");
    expect(ask(unnamed(a, answer(""), b))).toBe("continuation s1");
  });
});

describe("a history that was changed", () => {
  const [a, b, c] = [user("A"), user("B"), user("C")];

  it.each([
    ["an edited question", [a, answer(""), user("B, edited")]],
    ["a question left out", [b, answer(""), c]],
    ["another answer from a tool", [a, answer(""), result("c1", "x"), c]],
    ["the past cut down to its middle", [a, answer(""), c]],
    ["a summary in place of the past", [user("What happened so far: …"), answer(""), c]],
  ])("begins a new upstream session: %s", (_, messages) => {
    ask(asking([a]));
    ask(asking([a, answer(""), b]));
    expect(ask(asking(messages))).toBe("divergence s3");
  });

  it("goes on in the session that the change began", () => {
    ask(asking([a]));
    ask(asking([a, answer(""), b]));
    ask(asking([a, answer(""), c]));
    expect(ask(asking([a, answer(""), c, answer(""), b]))).toBe("continuation s3");
    expect(ask(asking([a, answer(""), b, answer(""), c]))).toBe("continuation s1");
  });

  it("is a new session when another one runs the tools", () => {
    ask(asking([a]));
    expect(ask(asking([a, answer(""), b], { owner: "gateway" }))).toBe("divergence s2");
  });

  it("is a new session when the system prompt is another one and the conversation has no name", () => {
    ask(asking([a], { sessionKey: undefined }));
    expect(ask(asking([a, answer(""), b], { sessionKey: undefined, system: "You are a poet." }))).toBe("new s2");
  });
});

describe("a conversation with a name", () => {
  const next = [user("A"), answer(""), user("B")];

  it("goes on when its system prompt is another one, which the agent is sent", () => {
    ask(asking([user("A")]));
    const verdict = classify(asking(next, { system: "You are a poet." }));
    expect(verdict).toMatchObject({ relation: "continuation", sessionId: "s1", addedSystem: "You are a poet." });
  });

  it("goes on when the client offers other tools than before", () => {
    ask(asking([user("A")]));
    expect(ask(asking(next, { tools: [...tools, { name: "edit" }] }))).toBe("continuation s1");
    expect(ask(asking([...next, answer(""), user("C")], { tools: tools.slice(1) }))).toBe("continuation s1");
  });

  it("goes on from no answer that was asked for twice: which of them the client took is unknown", () => {
    expect([ask(asking([user("A")])), ask(asking([user("A")])), ask(asking(next))]).toEqual([
      "new s1",
      "divergence s2",
      "divergence s3",
    ]);
    expect(ask(asking([...next, answer(""), user("C")]))).toBe("continuation s3");
  });
});

describe("a system prompt that tells the time", () => {
  const unnamed = { sessionKey: undefined };
  const [first, second] = [[user("A")], [user("A"), answer(""), user("B")]];

  it.each([
    ["a date and a time", "Be kind. It is {}.", ["2026-11-15 10:32", "2026-11-16T08:01:12Z"]],
    ["a date in words", "Be kind.\nToday's date: {}", ["Monday, November 16, 2026", "Tuesday, November 17, 2026"]],
    ["a time of day", "Be kind.\nCurrent time: {}", ["10:32 PM UTC+2", "9:05 AM UTC+2"]],
    ["a German date", "Be kind. Datum: {}", ["15.11.2026, 10:32", "16.11.2026, 08:00"]],
    ["seconds since the epoch", "Be kind. now={}", ["1794855125", "1794859999"]],
    ["the day of the week", "Be kind.\nToday is {}.", ["Monday", "Tuesday"]],
    ["git's status", 'Be kind.\n<context name="gitStatus">{}</context>', ["Working tree clean", "?? new.txt"]],
    ["git's status in lines", "Be kind.\nStatus:\n{}", ["(clean)", " M src/a.ts\n?? b.txt"]],
    ["the newest commits", "Be kind.\nRecent commits:\n{}", ["f4c0b2a init", "0d1e2f3 Second\nf4c0b2a init"]],
    ["a tree of files", "Be kind.\nFiles:\n{}", ["└───a.txt", "├───a.txt\n└───b.txt"]],
    ["an environment block", "Be kind.\n<env>\n{}\n</env>", ["Today's date: 2026-11-15", "Today's date: 2026-11-16"]],
    ["a reminder", "Be kind.\n<system-reminder>{}</system-reminder>", ["2 todos", "3 todos"]],
  ])("stays the same one without a name: %s", (_, system, [before = "", after = ""]) => {
    ask(asking(first, { ...unnamed, system: system.replace("{}", before) }));
    expect(ask(asking(second, { ...unnamed, system: system.replace("{}", after) }))).toBe("continuation s1");
  });

  it.each([
    ["another directory", "<env>\nWorking directory: /home/ada/{}\n</env>", ["one", "two"]],
    ["another directory in a reminder", "<system-reminder>\n% pwd\n/home/ada/{}\n</system-reminder>", ["one", "two"]],
    ["another repository", "You review the repository {}.", ["one", "two"]],
    ["another number", "You work on issue {}.", ["#1", "#2"]],
    ["another version", "You support version {}.", ["1.2.3", "1.2.4"]],
    ["another role", "You are {}.", ["a coder", "a poet"]],
  ])("is another one without a name: %s", (_, system, [before = "", after = ""]) => {
    ask(asking(first, { ...unnamed, system: system.replace("{}", before) }));
    expect(ask(asking(second, { ...unnamed, system: system.replace("{}", after) }))).toBe("new s2");
  });

  it("is sent again only where it has changed", () => {
    const system = (time: string) => `You are kind.\nYou are brief.\nIt is ${time} now.\nNever curse.`;
    ask(asking(first, { ...unnamed, system: system("10:32") }));
    expect(classify(asking(second, { ...unnamed, system: system("10:40") }))).toMatchObject({
      relation: "continuation",
      addedSystem: "It is 10:40 now.",
    });
  });

  it("is sent again as a whole when it lies in a file that is written anyway: not in the prompt", () => {
    ask(asking(first, { sendsSystem: false }));
    const verdict = classify(asking(second, { sendsSystem: false, system: "Another." }));
    expect(verdict).toMatchObject({ relation: "continuation", addedSystem: "" });
  });
});

describe("client notes that move from message to message", () => {
  const date = "<system-reminder>\nThe current date is: Monday, November 16, 2026.\n</system-reminder>";
  const unnamed = { sessionKey: undefined };

  it("do not begin a new session when only the newest message has the date", () => {
    expect([
      ask(asking([user(date, "A")], unnamed)),
      ask(asking([user("A"), answer(""), user(date, "B")], unnamed)),
      ask(asking([user("A"), answer(""), user("B"), answer(""), user(`${date}\nC`)], unnamed)),
    ]).toEqual(["new s1", "continuation s1", "continuation s1"]);
  });

  it("do not begin a new session when a context block is moved to the end", () => {
    const block = user(
      '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\n"Active exec sessions:\\nnone"\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>',
    );
    const call = result("c1", "one");
    expect([
      ask(asking([user("A"), block], unnamed)),
      ask(asking([user("A"), answer(""), call, block], unnamed)),
      ask(asking([user("A"), answer(""), call, answer(""), user("B"), block], unnamed)),
    ]).toEqual(["new s1", "continuation s1", "continuation s1"]);
  });

  it("are sent once they are new, wherever they stand", () => {
    const env = (date: string) => `<environment_context>\n<current_date>${date}</current_date>\n</environment_context>`;
    ask(asking([user(env("2026-11-15")), user("A")], unnamed));
    const later = asking([user(env("2026-11-16")), user("A"), answer(""), user("B")], unnamed);
    expect(classify(later)).toMatchObject({
      relation: "continuation",
      newFrom: 3,
      addedNotes: [env("2026-11-16")],
    });
    ask(later);
    const unchanged = asking([...later.messages, answer(""), user("C")], unnamed);
    expect(classify(unchanged)).toMatchObject({ relation: "continuation", newFrom: 5, addedNotes: [] });
  });

  it("are not what a person writes about such a tag", () => {
    const about = (word: string) => user(`What does <system-reminder>${word}</system-reminder> mean?`);
    ask(asking([about("one")], unnamed));
    expect(ask(asking([about("two"), answer(""), user("B")], unnamed))).toBe("new s2");
  });

  it("are all there is to know a conversation by in which nobody says anything else", () => {
    ask(asking([user("<env>one</env>")], unnamed));
    expect(ask(asking([user("<env>two</env>"), answer(""), result("c1", "x")], unnamed))).toBe("new s2");
  });
});

describe("a transcript that was sent before", () => {
  it("joins its turn", () => {
    ask(asking([user("A")]));
    const verdict = classify(asking([user("A")]), "joinable");
    expect(verdict).toMatchObject({ relation: "joined", record: { sessionId: "s1", turnId: "t1" } });
  });

  it.each([
    ["another model", { variant: ["gpt-5.4"] }],
    ["other instructions", { system: "You are a poet." }],
    ["other tools", { tools: [...tools, { name: "edit" }] }],
  ])("joins no turn of a request with %s", (_, changes) => {
    ask(asking([user("A")]));
    expect(classify(asking([user("A")], changes), "joinable")).toMatchObject({ relation: "divergence" });
  });

  it("joins no turn that its session has left behind", () => {
    ask(asking([user("A")]));
    ask(asking([user("A"), answer("a"), user("B")]));
    expect(classify(asking([user("A")]), "joinable")).toMatchObject({ relation: "divergence" });
  });

  it("is asked again in its session when its turn failed, was cancelled or was cut off", () => {
    ask(asking([user("A")]));
    const second = asking([user("A"), answer("a"), user("B")]);
    for (const outcome of ["failed", "cancelled", "none"] as const) {
      expect(ask(second, outcome)).toBe("continuation s1");
      expect(classify(second)).toMatchObject({ relation: "continuation", newFrom: 2, heardBefore: 1 });
    }
  });

  it("asks again what a failed turn did not answer, before what is new", () => {
    ask(asking([user("A")]), "failed");
    const verdict = classify(asking([user("A"), user("B")]));
    expect(verdict).toMatchObject({ relation: "continuation", sessionId: "s1", newFrom: 0, heardBefore: 0 });
  });

  it("gets a session of its own while another client reads the turn", () => {
    ask(asking([user("A")], { sessionKey: undefined }), "none");
    expect(classify(asking([user("A")], { sessionKey: undefined }), "running")).toMatchObject({ relation: "new" });
  });
});
