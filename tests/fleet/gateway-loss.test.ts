import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { GatewayProcess } from "../clients/gateway-process.ts";
import { FleetHome } from "./fleet-home.ts";
import { type GatewaySwitch, openGatewaySwitch } from "./gateway-switch.ts";

/** One worker, and two gateways behind one address. */
let fleet: FleetHome;
let first: GatewayProcess;
let address: GatewaySwitch;
beforeAll(async () => {
  fleet = await FleetHome.open();
  await fleet.worker("worker");
  const gateways: GatewayProcess[] = [];
  address = await openGatewaySwitch(gateways);
  const env = { CARET_SERVER_HOSTS: JSON.stringify([new URL(address.url).host]) };
  first = await fleet.gateway("first", env);
  gateways.push(first, await fleet.gateway("second", env));
});
afterAll(async () => {
  address.close();
  await fleet.remove();
});

it("Anthropic's tool loop goes on at another gateway when its own is killed while the tool runs, with the same agent", async () => {
  const client = new Anthropic({ baseURL: address.url, apiKey: await fleet.token("sdk") });
  const runs: string[] = [];
  const read = betaTool({
    name: "read_file",
    description: "Reads a file",
    inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    run: async ({ path }) => {
      runs.push(path);
      first.kill("SIGKILL");
      await first.exited;
      return "forty-two";
    },
  });
  const messages = [{ role: "user", content: "Please read the file a.txt with read_file" }] as const;
  const asked = { model: "auto", max_tokens: 1024, messages: [...messages], tools: [read] };
  const { stop_reason, content } = await client.beta.messages.toolRunner(asked);
  expect({ runs, stop_reason, content }).toMatchObject({
    runs: ["a.txt"],
    stop_reason: "end_turn",
    content: [{ type: "text", text: expect.stringContaining("forty-two") }],
  });
  expect(fleet.home.prompts()).toHaveLength(1);
});
