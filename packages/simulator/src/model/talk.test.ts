import { describe, expect, it } from "vitest";
import type { ModelMessage, ModelReply } from "./model.ts";
import { createRuleModel } from "./rule-model.ts";

function ask(prompt: string, earlier: readonly ModelMessage[] = [], seed = 1): ModelReply {
  return createRuleModel({ seed })({
    messages: [...earlier, { role: "user", text: prompt }],
    nativeTools: ["read", "shell"],
    offeredTools: [],
    mode: "agent",
    workspace: "/scratch",
  });
}

function said(...prompts: string[]): readonly ModelMessage[] {
  return prompts.flatMap((text): ModelMessage[] => [
    { role: "user", text },
    { role: "assistant", text: "Fine.", calls: [] },
  ]);
}

describe("talking", () => {
  it.each([
    ["Reply with exactly: OK", "OK"],
    ["reply with exactly OK and nothing else", "OK"],
    ["Say hello", "hello"],
    ['Respond with the word "pong".', "pong"],
    ['"Reply with exactly: OK"', "OK"],
    ["<timestamp>now</timestamp>\n<user_query>\nReply with exactly: OK\n</user_query>", "OK"],
    ["What is 2+2?", "2+2 = 4"],
    ["What is 2 plus 3 times 4?", "2 + 3 * 4 = 14"],
    ["10 / 4 - 1", "10 / 4 - 1 = 1.5"],
    ["Count to 5", "1\n2\n3\n4\n5"],
    ["Count from 3 to 5", "3\n4\n5"],
    ["Count to three.", "1\n2\n3"],
    ["My name is Ada", "Nice to meet you, Ada."],
    ["ping", "pong"],
    ["Thanks!", "You are welcome."],
    ["Generate a title for this conversation:\nRead hello.txt and fix the bug", "Read hello.txt and fix the bug"],
  ])("answers %s", (prompt, answer) => {
    expect(ask(prompt)).toMatchObject({ text: answer, calls: [] });
  });

  it("remembers what the user said, the latest word counting", () => {
    const earlier = said("My name is Ada", "my favourite colour is blue", "actually my favourite colour is green");
    expect([
      ask("What is my name?", earlier).text,
      ask("What's my favourite colour?", earlier).text,
      ask("What is my age?", earlier).text,
    ]).toEqual(["Your name is Ada.", "Your favourite colour is green.", "You have not told me your age."]);
    expect(ask("What did I say before?", said("The word is caret")).text).toBe('You said: "The word is caret"');
    expect(ask("What did I ask you to remember?", said("Remember that 42 is lucky")).text).toBe(
      "You asked me to remember: 42 is lucky",
    );
  });

  it("remembers a past that comes with the prompt, and does nothing of it again", () => {
    const past = (now: string): string =>
      "<earlier_conversation>\nUSER:\nMy name is Ada\n\nUSER:\nRead a.txt\n\nTOOL_CALL (name: read, call_id: c1)\n" +
      `{}\n\nTOOL_RESULT (name: read, call_id: c1)\nold\n</earlier_conversation>\n\n${now}`;
    const replies = [ask(past("What is my name?")), ask(past("Say never mind"))];
    expect(replies.map(({ text, calls }) => [text, calls])).toEqual([
      ["Your name is Ada.", []],
      ["never mind", []],
    ]);
  });

  it("answers a client's title request without touching a file", () => {
    const system: ModelMessage = { role: "system", text: "You are a title generator. You output only a thread title." };
    expect(ask("Read hello.txt", [system])).toMatchObject({ text: "Read hello.txt", calls: [] });
  });

  it("writes as many words as are wanted, the same for the same seed", () => {
    const essay = ask("Write 2000 words about the sea").text ?? "";
    expect({ words: essay.split(" ").length, isAboutTheSea: essay.includes("the sea") }).toEqual({
      words: 2000,
      isAboutTheSea: true,
    });
    expect([ask("Write 50 words about the sea", [], 7).text, ask("Write 50 words about the sea", [], 8).text]).toEqual([
      ask("Write 50 words about the sea", [], 7).text,
      expect.not.stringMatching(ask("Write 50 words about the sea", [], 7).text ?? ""),
    ]);
  });

  it("thinks aloud when asked to", () => {
    expect(ask("Think about it: what is 2+2?")).toMatchObject({
      thinking: expect.stringContaining("what is 2+2"),
      text: "2+2 = 4",
    });
    expect(ask("What is 2+2?").thinking).toBeUndefined();
  });

  it("says honestly what it is when it understands nothing", () => {
    expect(ask("Frobnicate the quux").text).toContain("I am Caret's simulator");
  });

  it("answers from results that were written into the prompt, and asks for nothing again", () => {
    const prompt = "USER: Read hello.txt\n\nTOOL_RESULT (name: read, call_id: call_1)\nHello!\n\nUSER: go on";
    expect(ask(prompt)).toMatchObject({ text: "`read` gave:\n\nHello!", calls: [] });
  });

  it("is not slowed down by a prompt of megabytes", () => {
    const prompts = [
      "word ".repeat(1_000_000),
      "run ".repeat(500_000),
      "`x".repeat(500_000),
      "a.b/".repeat(500_000),
      "{".repeat(500_000),
    ];
    const startedAt = performance.now();
    for (const prompt of prompts) ask(`${prompt}\nReply with exactly: OK`);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it("counts four characters as a token and earlier turns as cached", () => {
    const earlier: ModelMessage[] = [
      { role: "user", text: "x".repeat(400) },
      { role: "assistant", text: "y".repeat(40), calls: [] },
    ];
    expect(ask("Reply with exactly: OK", earlier).usage).toEqual({
      inputTokens: Math.ceil((40 + 22) / 4),
      outputTokens: 1,
      cacheReadTokens: 100,
      cacheWriteTokens: 0,
    });
  });
});
