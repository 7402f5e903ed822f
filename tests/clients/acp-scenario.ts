import { fileURLToPath } from "node:url";
import type { ScenarioInput } from "@caret/simulator";

const tool = (name: string, args: Record<string, unknown>) => ({ tool: { server: "caret", name, args } });

const question = {
  title: "Before I begin",
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
};

/** What the agent does for the first word of a prompt; for anything else the simulator's own mind answers. */
export const acpScenario: ScenarioInput = {
  turns: [
    { when: "^Write", steps: [tool("write", { path: "a.txt", content: "hi\n" }), { text: "Written." }] },
    { when: "^Run", steps: [tool("exec", { command: "echo ran > ran.txt" }), { text: "Done." }] },
    { when: "^Sleep", steps: [{ text: "I begin." }, tool("exec", { command: "sleep 600" }), { text: "Slept." }] },
    { when: "^Question", steps: [tool("ask_user", question), { text: "Thank you." }] },
    { when: "^Echo", steps: [tool("My-tools__echo", { text: "from afar" }), { text: "Echoed." }] },
    { when: "^Fail", steps: [{ text: "I try." }, { fail: "usage-limit" }] },
    {
      when: "^Plan",
      steps: [
        { tool: { name: "updateTodos", args: { todos: [{ id: "1", content: "Look", status: "pending" }] } } },
        { tool: { name: "createPlan", args: { name: "The plan", plan: "1. Look" } } },
      ],
    },
  ],
};

/** An MCP server of the client's, as editors name it. The value of its variable tells its process from others. */
export const clientServer = (pidFile: string, token: string) => ({
  name: "My tools",
  command: process.execPath,
  args: [
    fileURLToPath(new URL("../../packages/runtime/src/tools/mcp/testing/example-server.ts", import.meta.url)),
    pidFile,
  ],
  env: [{ name: "MY_TOKEN", value: token }],
});
