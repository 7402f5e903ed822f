import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

const home = new GatewayHome({
  turns: [
    {
      when: "Tidy up",
      steps: [{ tool: { name: "updateTodos", args: { todos: [], merge: false } } }, { text: "Tidied." }],
    },
  ],
});
let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGateway(home);
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const about = { name: "read", description: "Reads a file." };
const messages = [{ role: "user", content: "Tidy up" }];
const doors = [
  ["/v1/chat/completions", { messages, tools: [{ type: "function", function: { ...about, parameters: schema } }] }],
  ["/v1/responses", { input: "Tidy up", tools: [{ type: "function", ...about, parameters: schema }] }],
  ["/v1/messages", { messages, max_tokens: 100, tools: [{ ...about, input_schema: schema }] }],
] as const;

describe("clients D11: a client that runs its own tools", () => {
  it.each(doors.flatMap(([door, body]) => [true, false].map((stream) => [door, stream, body] as const)))(
    "is shown nothing of the agent's own, which are switched off: %s, stream %s",
    async (door, stream, body) => {
      const answer = await fetch(gateway.url + door, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "auto", stream, ...body }),
      });
      const text = await answer.text();
      expect({
        status: answer.status,
        saysTidied: text.includes("Tidied"),
        workings: /updateTodos|switched off|rejected/.exec(text),
      }).toEqual({ status: 200, saysTidied: true, workings: null });
    },
  );
});
