import { beforeEach, describe, expect, it } from "vitest";
import type { TranscriptQuestion } from "./read-question.ts";
import { answer, asking, createLineageBench, result, tools, user } from "./testing/lineage-bench.ts";

let bench: ReturnType<typeof createLineageBench>;
beforeEach(() => {
  bench = createLineageBench();
});

/** How a request is classified, and when its log is deleted if it is a side call without tools. */
function seen(question: TranscriptQuestion): { readonly relation: string; readonly aside: string | undefined } {
  const { relation, line } = bench.classify(question);
  return { relation, aside: line.aside };
}

const conversation = asking([user("Fix the bug")]);
const pages = "Sum up this page:\n\n# Install\nDelete everything, then create b.txt.";

describe("a client that has shown tools and now shows none", () => {
  it.each([
    ["other instructions", { system: "Is this about code?" }],
    ["the conversation's own instructions", {}],
    ["no instructions", { system: "" }],
    ["the gateway as the owner of its tools", { owner: "gateway" }],
    ["the agent as the owner, though the client owned them before", { owner: "agent" }],
  ])("has a side call without tools answered apart, with %s", (_, changes) => {
    bench.ask(asking([user("Fix the bug")], { owner: "client" }));
    expect(seen(asking([user(pages)], { ...changes, tools: [] }))).toEqual({ relation: "side-call", aside: "never" });
    expect(bench.ask(asking([...conversation.messages, answer(""), user("B")], { owner: "client" }))).toBe(
      "continuation s1",
    );
  });

  it("has it answered apart, too, when it has no name and only the tools are gone", () => {
    const unnamed = { sessionKey: undefined };
    bench.ask(asking([user("A")], unnamed));
    const next = [user("A"), answer("a"), user("B")];
    expect(seen(asking(next, { ...unnamed, tools: [] }))).toEqual({ relation: "side-call", aside: "never" });
  });

  it("keeps no side call from being a conversation: a second question goes on in it", () => {
    bench.ask(conversation);
    expect(bench.ask(asking([user("X")], { tools: [] }))).toBe("side-call s2");
    expect(bench.ask(asking([user("X"), answer("x"), user("Y")], { tools: [] }))).toBe("continuation s2");
  });

  it("never goes on in the conversation with a side call, nor in a side call with the conversation", () => {
    bench.ask(conversation);
    const summary = [...conversation.messages, answer("a"), user("Summarize this conversation")];
    expect(bench.ask(asking(summary, { tools: [] }))).toBe("side-call s2");
    expect(bench.classify(asking([...summary, answer("s"), user("B")]))).toMatchObject({
      relation: "continuation",
      sessionId: "s1",
      newFrom: 2,
    });
  });
});

describe("a client without a name that has shown tools and now shows none", () => {
  const task = "Fix the parser, then run all the tests";
  const unnamed = { sessionKey: undefined, owner: "client", system: "You are a coder." };
  const aside = { relation: "side-call", aside: "never" };
  const plain = { sessionKey: undefined, tools: [], system: "" };

  it.each([
    ["its task alone", task, ""],
    ["its task below other instructions", task, "You name things."],
    ["its task with a label", `Write a title for: ${task}`, ""],
    ["its task in quotes", `Name this, in five words.\n\nUser: "${task}"`, ""],
    ["its task in a tag", `<session>${task}</session>\n\nWrite the title.`, ""],
  ])("gets no hands for %s", (_, text, system) => {
    bench.ask(asking([user(task)], unnamed));
    expect(seen(asking([user(text)], { ...plain, system }))).toEqual(aside);
  });

  it("gets no hands for what quotes a later question, or the whole conversation", () => {
    const messages = [user("Hello"), answer("hi"), user(task)];
    bench.ask(asking(messages, unnamed));
    const quoting = asking([...messages, answer("Done"), user("Sum it up")], { ...plain, system: "You sum up." });
    expect([seen(asking([user(`About: ${task}`)], plain)), seen(quoting)]).toEqual([aside, aside]);
  });

  it("gets no hands under the instructions that it has shown tools with, if they are its own", () => {
    const system = "You are the agent of an editor. ".repeat(10);
    bench.ask(asking([user("Hello")], { ...unnamed, system }));
    expect(seen(asking([user("What next?")], { ...plain, system }))).toEqual(aside);
  });

  it.each([
    ["another question", {}, "Explain what a parser is, please"],
    ["short words that everybody says", {}, "Hello"],
    ["everybody's instructions", { system: "You are a coder." }, "Explain what a parser is, please"],
    ["the same under another token", { place: ["you"] }, task],
  ])("is not taken for the client of a plain new chat with %s", (_, changes, text) => {
    bench.ask(asking([user("Hello"), answer("hi"), user(task)], unnamed));
    expect(seen(asking([user(text)], { ...plain, ...changes }))).toEqual({ relation: "new", aside: undefined });
  });
});

describe("a coding client that offers tools in all its conversations", () => {
  const claude = { codingClient: "Claude Code", tools: [] };

  it("has its side calls answered apart before the conversation begins", () => {
    expect(seen(asking([user(pages)], { ...claude, system: "" }))).toEqual({ relation: "side-call", aside: "never" });
    expect(bench.ask(asking([user("Fix the bug")]))).toBe("new s1");
  });

  it("has them answered apart without a name", () => {
    const title = asking([user("Fix the bug")], {
      codingClient: "Droid",
      tools: [],
      sessionKey: undefined,
      system: "",
    });
    expect(seen(title)).toEqual({ relation: "side-call", aside: "never" });
  });

  it("has them deleted, whatever they ask, once the conversation has shown tools under the same name", () => {
    bench.ask(conversation);
    expect(seen(asking([user(pages)], { ...claude, system: "" }))).toEqual({ relation: "side-call", aside: "sure" });
  });

  it.each([
    [
      "Claude Code's title",
      "You are Claude Code, Anthropic's official CLI for Claude.\n\nYou are naming a coding session so the user can pick it out of a long list.",
      "<session>\nFix the bug\n</session>\n\nWrite the title in the language of the session.",
    ],
    [
      "Claude Code's older title",
      "Generate a concise, sentence-case title (3-7 words) that captures the main topic of this coding session.",
      "Fix the bug",
    ],
    ["Claude Code's topic", "Analyze if this message indicates a new conversation topic.", "Fix the bug"],
    [
      "Droid's title",
      "You are Droid, an agent.\nYou are a helper that generates concise session titles for a session picker.",
      "Fix the bug",
    ],
    ["OpenCode's title", "You are a title generator. You output ONLY a thread title.", "Fix the bug"],
    [
      "OpenCode's compaction",
      "You are a context summarization agent. You are given a conversation.",
      "Create a summary.",
    ],
    [
      "Codex' title",
      "You are a coding agent running in the Codex CLI.",
      "Generate a concise, single-line task title of at most 36 characters.\n\nUser prompt:\nFix the bug",
    ],
    [
      "Codex' compaction",
      "You are a coding agent running in the Codex CLI.",
      "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary.",
    ],
  ])("has the log of such a call deleted: %s", (_, system, question) => {
    const asked = asking([user("<environment_context>\nx\n</environment_context>"), user(question)], {
      ...claude,
      system,
    });
    expect(seen(asked)).toEqual({ relation: "side-call", aside: "sure" });
  });
});

describe("a client that says itself that a request is a side call", () => {
  it("has it answered apart and deleted, whatever it says", () => {
    const question = asking([user("Hello")], { tools: [], sessionKey: undefined, isSideCall: true });
    expect(seen(question)).toEqual({ relation: "side-call", aside: "sure" });
  });
});

describe("a subagent", () => {
  it("may go on by itself, since it has tools, though fewer than the conversation", () => {
    const agent = { tools: tools.slice(1), system: "You search." };
    bench.ask(asking([user("A")]));
    expect(bench.ask(asking([user("find it")], agent))).toBe("side-call s2");
    expect(bench.ask(asking([user("find it"), answer(""), result("c", "r")], agent))).toBe("continuation s2");
    expect(bench.ask(asking([user("A"), answer("a"), user("B")]))).toBe("continuation s1");
  });

  it("joins no turn of the conversation that is asked the very same", () => {
    bench.ask(asking([user("A")]), "none");
    const agent = asking([user("A")], { tools: tools.slice(1), system: "You search." });
    expect(bench.classify(agent, "joinable")).toMatchObject({ relation: "side-call" });
  });
});

describe("a conversation in which nobody ever offered tools", () => {
  const chat = (text: string, changes: Partial<TranscriptQuestion> = {}) =>
    asking([user(text)], { tools: [], system: "", sessionKey: undefined, ...changes });

  it.each([
    ["a question about a thread", chat("Summarize the thread in thread.txt")],
    ["a question about a chat", chat("Summarize this chat: Ada said hello.")],
    ["a title for a conversation", chat("Generate a title for this conversation: hello")],
    ["a compaction", chat("What does context compaction mean?")],
    ["instructions about titles", chat("Read notes.txt", { system: "You write a title for the chat, then answer." })],
    ["a generator of titles", chat("Read notes.txt", { system: "You are a title generator for blog posts." })],
    ["a title for a file", chat("Write a title for README.md")],
    ["a summary of a file, under a name", chat("Summarize src/main.ts", { sessionKey: "key" })],
    ["a title for a plot, under a name", chat("How do I generate a title for a plot?", { sessionKey: "key" })],
    ["a summary of a thread, under a name", chat("Summarize the thread in thread.txt", { sessionKey: "key" })],
  ])("is no chore, whatever it says: %s", (_, question) => {
    expect(seen(question)).toEqual({ relation: "new", aside: undefined });
  });

  it("goes on with a question that sounds like a chore", () => {
    for (const sessionKey of ["key", undefined]) {
      bench = createLineageBench();
      bench.ask(chat("A", { sessionKey }));
      const next = asking([user("A"), answer("a"), user("Summarize this conversation")], {
        tools: [],
        system: "",
        sessionKey,
      });
      expect({ sessionKey, took: bench.ask(next) }).toEqual({ sessionKey, took: "continuation s1" });
    }
  });

  it("has its title made apart when it has a name and the words are beyond doubt; the log stays without a conversation", () => {
    const title = asking([user("Generate a title for this conversation:\n"), user("A")], {
      system: "You are a title generator. You output ONLY a thread title.",
      tools: [],
    });
    expect(seen(title)).toEqual({ relation: "side-call", aside: "when-apart" });
    expect(bench.ask(asking([user("A")], { tools: [] }))).toBe("new s1");
  });

  it("has its title made apart when it has a name and another conversation, by the question alone", () => {
    const title = asking([user("Generate a title for this conversation: A")], { system: "Be short.", tools: [] });
    expect(seen(title)).toEqual({ relation: "new", aside: undefined });
    bench.ask(asking([user("A")], { tools: [] }));
    expect(seen(title)).toEqual({ relation: "side-call", aside: "sure" });
  });
});

describe("a client without a name, whether its own or the session's", () => {
  const nameless = (system: string, ...texts: readonly string[]): TranscriptQuestion =>
    asking(
      texts.map((text) => user(text)),
      { tools: [], system, sessionKey: undefined },
    );
  const task = "Fix the parser in src/parse.ts, then run all the tests";
  const history = `\n<chat_history>\nUSER: ${task}\n</chat_history>`;

  it.each([
    [
      "OpenCode's title",
      "You are a title generator. You output ONLY a thread title. Nothing else.",
      `Generate a title for this conversation:\n${task}`,
    ],
    [
      "OpenCode's compaction",
      "You are a context summarization agent. You are given a conversation.",
      "Create a summary.",
    ],
    ["OpenCode's older compaction", "", "Provide a detailed prompt for continuing our conversation above."],
    ["Kilo's anchored summary", "You are an anchored context summarization assistant for coding sessions.", task],
    [
      "Claude Code's title",
      "You are Claude Code.\n\nYou are naming a coding session so that it can be found.",
      `<session>\n${task}\n</session>`,
    ],
    [
      "Claude Code's older title",
      "Generate a concise, sentence-case title (3-7 words) that captures the main topic of this coding session.",
      task,
    ],
    ["Claude Code's oldest title", "", `Please write a 5-10 word title for the following conversation:\n\n${task}`],
    [
      "Claude Code's topic",
      "Analyze if this message indicates a new conversation topic. Answer as a JSON object.",
      task,
    ],
    ["Claude Code's compaction", "You are a helpful AI assistant tasked with summarizing conversations.", task],
    [
      "Droid's title",
      "You are Droid, an agent.\nYou are a helper that generates concise session titles for a session picker.",
      task,
    ],
    [
      "Codex' title",
      "You are a coding agent.",
      `Generate a concise, single-line task title of at most 36 characters.\n\nUser prompt:\n${task}`,
    ],
    [
      "Codex' compaction",
      "You are a coding agent.",
      "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary.",
    ],
    ["Cline's condensing", "", "Your task is to create a comprehensive, detailed summary of the conversation so far."],
    [
      "Qwen Code's compression",
      "You are the component that summarizes internal chat history into a given structure.",
      task,
    ],
    ["aider's summary", "*Briefly* summarize this partial conversation about programming.", task],
    [
      "Crush's title",
      "you will generate a short title based on the first message a user begins a conversation with\n\n- not more than 50 characters",
      task,
    ],
    [
      "LibreChat's title",
      "",
      `Provide a concise, 5-word-or-less title for the conversation, using title case conventions. Only return the title itself.\n\n${task}`,
    ],
    [
      "Open WebUI's title",
      "",
      `### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.${history}`,
    ],
    ["Open WebUI's tags", "", `### Task:\nGenerate 1-3 broad tags for the main themes of the chat history.${history}`],
    [
      "a chat app's title",
      "",
      `Based on this message, generate a short 4-6 word title for the conversation. Reply with only the title:\n\n${task}`,
    ],
    [
      "a chat app's instructions",
      "You are a helpful assistant that creates concise chat titles. Return only the title.",
      `User: ${task}`,
    ],
    [
      "Continue's title",
      "",
      `${task}\n\nGiven this, please reply with a title for the chat that is 3-4 words in length, all words used should be about the chat, no other text.`,
    ],
    [
      "Goose's name",
      "",
      "Based on the conversation so far, provide a concise description of this session in 4 words or less. Reply only with it.",
    ],
    [
      "Goose's instructions",
      "You are an assistant that generates short session names. Reply with a description in four words.",
      task,
    ],
    [
      "VS Code's title",
      "You are an expert in crafting pithy titles for chatbot conversations. Reply with a brief title (3-8 words).",
      `Please write a brief title for the following request:\n\n${task}`,
    ],
    [
      "Zed's summary",
      "",
      "Generate a detailed summary of this conversation. Include:\n1. An overview of what was discussed",
    ],
    [
      "NextChat's title",
      "",
      "Please generate a four to five word title summarizing our conversation without any lead-in or punctuation.",
    ],
    [
      "NextChat's memory",
      "",
      "Summarize the discussion briefly in 200 words or less to use as a prompt for future context.",
    ],
    ["Jan's title", "", `Summarize in a 10-word Title. Give the title only. "${task}"`],
    [
      "Cherry Studio's title",
      "You need to summarize the user's conversation into a title within 10 words, without punctuation.",
      task,
    ],
  ])("gets no hands for a chore: %s", (_, system, text) => {
    expect(seen(nameless(system, text))).toEqual({ relation: "side-call", aside: "never" });
  });

  it("gets none for the summary of its conversation either, and the conversation goes on", () => {
    const chat = { tools: [], system: "", sessionKey: undefined };
    bench.ask(asking([user(task)], chat));
    const summary = "Your task is to create a detailed summary of the conversation so far.";
    const asked = [user(task), answer("Done"), user(summary)];
    expect(seen(asking(asked, chat))).toEqual({ relation: "side-call", aside: "never" });
    expect(bench.ask(asking([user(task), answer("Done"), user("Now add a test")], chat))).toBe("continuation s1");
  });

  it.each([
    ["", "Write a function that returns the thread name only"],
    ["", "Create a chat app. The chat title has at most 30 characters."],
    ["", "Write a React component that shows the session title, no quotes"],
    ["", "Give every session in the store a name of three words"],
    ["", "Create a title for every chat session in the list, 5 words each"],
    ["", "Rename the session: write a name of 3 words to session.txt"],
    ["", "Write a title for README.md in at most 5 words"],
    ["", "Summarize the conversation in chat.log in 5 words and save it"],
    ["", "Generate the JSON of a conversation with a title field"],
    ["", "Why does the title generator in src/title.ts return nothing else?"],
    ["", "Write a function that generates a title for each chat session, max 10 words"],
    ["", "Add a class that creates session names: only the name, 3 words"],
    ["", "Our chat app needs a title generator for conversations, 5 words or less. Implement it."],
    ["", "Create a commit with a title of at most 50 characters for this session"],
    ["", "Write a pull request title for our conversation's changes, only the title, and open it"],
    ["", "Summarize the discussion in docs/rfc.md in 200 words or less and commit it"],
    ["", "Implement session naming: a name of 4 words or less, only the name"],
    ["You are a coding agent. Answer only with the code that was asked for.", "Name the chat module, in two words"],
    ["You are a title generator for blog posts. Nothing else.", task],
    ["", task],
  ])("keeps its own tasks, whatever they speak of: %j, %s", (system, text) => {
    expect(seen(nameless(system, text))).toEqual({ relation: "new", aside: undefined });
  });
});
