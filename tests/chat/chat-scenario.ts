import type { ScenarioInput } from "@caret/simulator";

/** What the simulated agent does when it is asked in these words. */
export const prompts = {
  markdown: "Show me some markdown",
  command: "Count to twelve",
  edit: "Make the greeting warmer",
  question: "Choose a colour",
  slow: "Take your time",
  endless: "Take all day",
  plan: "Plan a warmer greeting",
  dangerous: "Clean up",
  /** Of an agent. */
  human: "Paint a wall",
} as const;

const answer = [
  "The greeting is **warmer** now. This line is longer than any of the terminals is wide at sixty and at eighty columns, and is broken between words.",
  "",
  "```js",
  'greet("Ada");',
  "```",
  "",
  "- one",
  "- two",
  "",
  "| Before | After |",
  "| --- | --- |",
  "| Hello | 你好 |",
  "",
  // What a hostile file may make an agent say: a title, a cleared screen, a reversed word.
  "Beware \u001b]0;owned\u0007\u001b[2J\u001b[31mred \u202eeman",
].join("\n");

const use = (name: string, args: Record<string, unknown>) => ({ tool: { server: "caret", name, args } });

export const chatScenario: ScenarioInput = {
  turns: [
    { when: prompts.markdown, steps: [{ thinking: "What would be a good example?" }, { text: answer }] },
    {
      when: prompts.command,
      steps: [
        { text: "I count." },
        use("exec", { command: "seq 1 12; exit 3", description: "Count" }),
        { text: "That was all." },
      ],
    },
    {
      when: prompts.edit,
      steps: [use("edit", { path: "greet.js", old_string: "Hello", new_string: "Good day" }), { text: "Changed." }],
    },
    {
      when: prompts.question,
      steps: [
        use("ask_user", {
          questions: [
            {
              id: "colour",
              prompt: "Which colour?",
              options: [
                { id: "r", label: "Red" },
                { id: "b", label: "Blue" },
              ],
            },
          ],
        }),
        { text: "A good choice." },
      ],
    },
    {
      when: prompts.slow,
      steps: [
        { text: "I read." },
        use("read", { path: "greet.js" }),
        { delay: 1_500 },
        use("read", { path: "greet.js" }),
        { text: "I have read it twice." },
      ],
    },
    // Ends only when it is stopped: however busy the machine is, a command that is to reach it does.
    { when: prompts.endless, steps: [{ text: "I think." }, { delay: 600_000 }] },
    {
      when: prompts.plan,
      steps: [
        {
          tool: {
            name: "createPlan",
            args: { name: "Warmth", overview: "One line.", plan: "1. Read `greet.js`\n2. Change it" },
          },
        },
        { text: "That is my plan." },
      ],
    },
    { when: "Carry out the plan “Warmth”", steps: [{ text: "It is built." }] },
    {
      when: prompts.human,
      steps: [use("ask_human", { question: "Which wall?", wait_seconds: 60 }), { text: "Painted." }],
    },
    { when: prompts.dangerous, steps: [use("exec", { command: "rm -rf ./build" }), { text: "Cleaned." }] },
  ],
};
