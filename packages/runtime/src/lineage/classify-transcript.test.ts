import { beforeEach, describe, expect, it } from "vitest";
import { classifyTranscript, type LineageQuestion, type TurnState, type Verdict } from "./classify-transcript.ts";
import type { LineageRecord, LineageStore } from "./lineage-store.ts";
import { createMemoryLineageStore } from "./memory-lineage-store.ts";
import { rememberTurn } from "./remember-turn.ts";
import type { TranscriptMessage } from "./transcript.ts";

let store: LineageStore;
let turns = 0;
beforeEach(() => {
  store = createMemoryLineageStore();
  turns = 0;
});

const tools = [{ name: "read" }, { name: "bash" }];

function asking(messages: readonly TranscriptMessage[], changes: Partial<LineageQuestion> = {}): LineageQuestion {
  return { place: ["me"], sessionKey: "key", system: "You are a coder.", tools, messages, ...changes };
}

const user = (text: string): TranscriptMessage => ({ role: "user", parts: [{ kind: "text", text }] });
const answer = (text: string): TranscriptMessage => ({ role: "assistant", text, calls: [] });
const result = (callId: string, text: string): TranscriptMessage => ({
  role: "tool",
  callId,
  parts: [{ kind: "text", text }],
  isError: false,
});

function classify(question: LineageQuestion, state: TurnState = "over"): Verdict {
  return classifyTranscript(question, store, () => state);
}

/** Classify, and let a turn answer it. Tells the relation and the session that took it. */
function ask(question: LineageQuestion, outcome: NonNullable<LineageRecord["outcome"]> | "none" = "completed"): string {
  const verdict = classify(question);
  turns += 1;
  const sessionId = verdict.relation === "continuation" ? verdict.sessionId : `s${turns}`;
  const heardBefore = verdict.relation === "continuation" ? verdict.heardBefore : 0;
  const turnId = `t${turns}`;
  rememberTurn(store, verdict.line, { sessionId, turnId, heardBefore, at: 0 });
  if (outcome !== "none") store.settle(verdict.line.hash, turnId, outcome);
  return `${verdict.relation} ${sessionId}`;
}

describe("a conversation", () => {
  it("goes on in its session, with only what is new", () => {
    ask(asking([user("A")]));
    const verdict = classify(asking([user("A"), answer("a"), user("B")]));
    expect(verdict).toMatchObject({ relation: "continuation", sessionId: "s1", newFrom: 1, heardBefore: 1 });
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
    expect(classify(asking(messages))).toMatchObject({ relation: "continuation", newFrom: 1, heardBefore: 1 });
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

  it("is told apart from another with the same words but another key, caller or workspace", () => {
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

  it("is a new session when the tools or the system prompt are others", () => {
    ask(asking([a]));
    const next = [a, answer(""), b];
    expect(ask(asking(next, { system: "You are a poet." }))).toBe("divergence s2");
    expect(ask(asking(next, { tools: [...tools, { name: "edit" }] }))).toBe("divergence s3");
  });
});

describe("a transcript that was sent before", () => {
  it("joins its turn", () => {
    ask(asking([user("A")]));
    const verdict = classify(asking([user("A")]), "joinable");
    expect(verdict).toMatchObject({ relation: "joined", record: { sessionId: "s1", turnId: "t1" } });
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
      expect(classify(second)).toMatchObject({ relation: "continuation", newFrom: 1, heardBefore: 1 });
    }
  });

  it("asks again what a failed turn did not answer, before what is new", () => {
    ask(asking([user("A")]), "failed");
    const verdict = classify(asking([user("A"), user("B")]));
    expect(verdict).toMatchObject({ relation: "continuation", sessionId: "s1", newFrom: 0, heardBefore: 0 });
  });

  it("gets a session of its own while somebody else listens to the turn", () => {
    ask(asking([user("A")], { sessionKey: undefined }), "none");
    expect(classify(asking([user("A")], { sessionKey: undefined }), "running")).toMatchObject({ relation: "new" });
  });
});

describe("a side call", () => {
  const title = asking([user("Generate a title for this conversation:\n"), user("A")], {
    system: "You are a title generator. You output ONLY a thread title.",
    tools: [],
  });

  it("is known by its words, before the conversation and after it", () => {
    expect(ask(title)).toBe("side-call s1");
    expect(ask(asking([user("A")]))).toBe("new s2");
    expect(ask(title)).toBe("side-call s3");
    expect(ask(asking([user("A"), answer("a"), user("B")]))).toBe("continuation s2");
  });

  it.each([
    ["has no tools", { tools: [], system: "Is this about code?" }, true],
    ["has no tools but the conversation's own instructions", { tools: [] }, true],
    ["has fewer tools and other instructions", { tools: tools.slice(1), system: "You search." }, false],
  ])("is known by its shape: it %s", (_, changes, ephemeral) => {
    ask(asking([user("A")]));
    const verdict = classify(asking([user("A"), answer("a"), user("B")], changes));
    expect(verdict).toMatchObject({ relation: "side-call", ephemeral });
    expect(ask(asking([user("A"), answer("a"), user("B")]))).toBe("continuation s1");
  });

  it("never goes on in the conversation it is about, nor the conversation in it", () => {
    const chat = (...messages: TranscriptMessage[]) => asking(messages, { tools: [], system: "" });
    ask(chat(user("A")));
    const summary = chat(user("A"), answer("a"), user("Summarize this conversation"));
    expect(ask(summary)).toBe("side-call s2");
    const after = classify(chat(...summary.messages, answer("s"), user("B")));
    expect(after).toMatchObject({ relation: "continuation", sessionId: "s1", newFrom: 1 });
  });

  it("may go on by itself when it has tools, as a subagent does", () => {
    const agent = { tools: tools.slice(1), system: "You search." };
    ask(asking([user("A")]));
    expect(ask(asking([user("find it")], agent))).toBe("side-call s2");
    expect(ask(asking([user("find it"), answer(""), result("c", "r")], agent))).toBe("continuation s2");
    expect(ask(asking([user("A"), answer("a"), user("B")]))).toBe("continuation s1");
  });

  it.each(["Write a title for README.md", "Summarize src/main.ts", "How do I generate a title for a plot?"])(
    "is not what a person asks: %s",
    (text) => {
      expect(ask(asking([user(text)], { tools: [], system: "" }))).toBe("new s1");
    },
  );
});
