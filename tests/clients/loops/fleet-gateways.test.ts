import { afterAll, beforeAll, expect, it } from "vitest";
import { FleetHome } from "../../fleet/fleet-home.ts";
import { type GatewaySwitch, openGatewaySwitch } from "../../fleet/gateway-switch.ts";
import type { GatewayProcess } from "../gateway-process.ts";
import { claudeCode } from "./claude-code.ts";
import { runClient } from "./run-client.ts";
import { ScratchRepository } from "./scratch-repository.ts";

/** One worker, and two gateways behind one address. */
let fleet: FleetHome;
let first: GatewayProcess;
let address: GatewaySwitch;
const repository = new ScratchRepository();
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
  repository.remove();
  await fleet.remove();
});

it("Claude Code does its task to the end when its gateway is killed while it runs a tool, and another one is there", async () => {
  const place = { url: address.url, token: await fleet.token("claude"), repository };
  const exit = runClient(claudeCode, place, "Run `sh wait.sh`, then create basket.txt with the content full");
  await expect.poll(() => repository.isWaiting, { timeout: 120_000, interval: 100 }).toBe(true);
  first.kill("SIGKILL");
  await first.exited;
  repository.go();
  const { code } = await exit;
  const agents = fleet.home.turns().filter(({ argv, prompt }) => !argv.includes("ask") && prompt.includes("wait.sh"));
  // The agent whose call was under way took the result: none was started in its place.
  expect({ code, basket: repository.basket(), agents: agents.length }).toEqual({ code: 0, basket: "full", agents: 1 });
});
