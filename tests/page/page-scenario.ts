import type { ScenarioInput } from "@caret/simulator";

/** What the simulated agent does when it is asked in these words. Prompts are searched for them. */
export const prompts = {
  /** With the agent's own tools, and so for the permission word `full`. */
  everyCard: "Make the greeting friendlier and prove it",
  longAnswer: "Tell me a long story",
  /** These are for words that leave the tools to the gateway. */
  approval: "Run the tests for me",
  twoApprovals: "Write two notes",
  question: "Choose a colour with me",
  overwrite: "Replace the guide",
  editInTheMiddle: "Change one line of the guide",
  hiddenText: "Run something that hides",
  dangerous: "Clean up the build",
  failure: "Spend more than there is",
  quick: "Say hello",
} as const;

const plan = ["## Steps", "", "1. Read `greet.js`", "2. Change the greeting", "3. Run it"].join("\n");

const answer = [
  "The greeting is **friendlier** now.",
  "",
  "```js",
  "export function greet(name) {",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code of the example
  "  return `Good to see you, ${name}!`;",
  "}",
  "```",
  "",
  "| Before | After |",
  "| --- | --- |",
  "| Hello | Good to see you |",
  "",
  "See [the guide](https://example.com/guide) for the tone.",
].join("\n");

const todos = (done: number) => ({
  name: "updateTodos",
  args: {
    todos: ["Read greet.js", "Change the greeting", "Run it"].map((content, index) => ({
      id: String(index + 1),
      content,
      status: index < done ? "completed" : index === done ? "in_progress" : "pending",
    })),
  },
});

const colours = [
  { id: "r", label: "Red" },
  { id: "b", label: "Blue" },
];

/** One of everything a transcript can show. */
const everyCard: Steps = [
  { thinking: "The greeting sounds cold. I should read it first, then make a plan." },
  { text: "I will look at the greeting first." },
  { tool: { name: "createPlan", args: { name: "A friendlier greeting", overview: "One line changes.", plan } } },
  { tool: todos(0) },
  { tool: { name: "read", args: { path: "greet.js" } } },
  { tool: { name: "grep", args: { pattern: "greet", path: "." } } },
  { tool: { name: "edit", args: { path: "greet.js", oldText: "Hello", newText: "Good to see you" } } },
  {
    tool: {
      name: "shell",
      args: {
        command: "printf '\\033[1;32mPASS\\033[0m greet.test.js\\n\\033[31mFAIL\\033[0m other.test.js\\n'; exit 3",
      },
    },
  },
  { tool: { name: "webFetch", args: { url: "https://example.com/guide" } } },
  { tool: { name: "task", args: { description: "Look for other greetings", prompt: "Find them" } } },
  { tool: { server: "tickets", name: "find_ticket", args: { words: "friendly" } } },
  {
    tool: {
      name: "askQuestion",
      args: { title: "Tone", questions: [{ prompt: "Which tone?", options: ["Warm", "Dry"] }] },
    },
  },
  { event: { type: "brand_new_event", answer: 42 } },
  { tool: { name: "teleport", args: { to: "the moon" } } },
  { tool: todos(3) },
  { text: answer },
  { usage: { inputTokens: 1_200, outputTokens: 340, cacheReadTokens: 9_000 } },
];

type Steps = Extract<NonNullable<ScenarioInput["turns"]>[number], readonly unknown[]>;

const gatewayTool = (name: string, args: Record<string, unknown>) => ({ tool: { server: "caret", name, args } });

export const pageScenario: ScenarioInput = {
  turns: [
    { when: prompts.everyCard, steps: everyCard },
    {
      when: prompts.longAnswer,
      steps: [
        { text: "Once upon a time there was a caret. ", repeat: 120, tokensPerDelta: 2, deltaMs: 25 },
        { text: "The end." },
      ],
    },
    {
      when: prompts.approval,
      steps: [
        { text: "I run them." },
        gatewayTool("exec", { command: "node greet.js", description: "Run the greeting" }),
        { text: "They pass." },
      ],
    },
    {
      when: prompts.twoApprovals,
      steps: [
        gatewayTool("write", { path: "one.txt", content: "the first\n" }),
        gatewayTool("write", { path: "two.txt", content: "the second\n" }),
        { text: "That is all I could write." },
      ],
    },
    {
      when: prompts.question,
      steps: [
        gatewayTool("ask_user", {
          title: "Colour",
          questions: [{ id: "q", prompt: "Which colour?", options: colours }],
        }),
        { text: "A good choice." },
      ],
    },
    {
      when: prompts.overwrite,
      steps: [gatewayTool("write", { path: "guide.md", content: "# Gone\n" }), { text: "Replaced." }],
    },
    {
      when: prompts.editInTheMiddle,
      steps: [
        gatewayTool("edit", { path: "guide.md", old_string: "line 20\n", new_string: "line twenty\n" }),
        gatewayTool("edit", { path: "guide.md", old_string: "no such line", new_string: "anything" }),
        { text: "Changed." },
      ],
    },
    {
      when: prompts.hiddenText,
      steps: [
        gatewayTool("exec", { command: 'TOKEN="a1b2c3d4$(touch owned)" printf "\u202egnp.exe"' }),
        { text: "Ran." },
      ],
    },
    {
      when: prompts.dangerous,
      steps: [gatewayTool("exec", { command: "rm -rf ./docs && git clean -fdx" }), { text: "Cleaned." }],
    },
    { when: prompts.failure, steps: [{ fail: "usage-limit" }] },
    { when: prompts.quick, steps: [{ text: "Hello there." }, { usage: { inputTokens: 40, outputTokens: 3 } }] },
  ],
};
