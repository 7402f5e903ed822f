import { randomUUID } from "node:crypto";
import { createNativeClient } from "@caret/protocol";
import type { GatewayProcess } from "../../tests/clients/gateway-process.ts";
import { type Figure, ownFigure } from "../figures/figure.ts";
import { median } from "../figures/quantile.ts";
import type { FleetStage } from "./fleet-stage.ts";

const TURNS = 8;
const WARM_UP = 2;
const MOST_ABOVE_MS = 60;

type FirstToken = (gateway: GatewayProcess, workspace: string) => Promise<number>;

/** How much later the first token comes through gateway, queue and worker than from a gateway by itself, at both kinds of doors. */
export async function firstTokens({ fleet, gateway, local }: FleetStage, rounds: number): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [door, measure] of [
    ["chat door", chatFirstToken],
    ["native door", nativeFirstToken],
  ] as const) {
    const times: Record<"fleet" | "local", number[]> = { fleet: [], local: [] };
    // One after the other in every round, so that a busy moment slows both.
    for (let turn = -WARM_UP; turn < TURNS * rounds; turn += 1)
      for (const [name, served] of [
        ["local", local],
        ["fleet", gateway],
      ] as const) {
        const ms = await measure(served, fleet.home.workspace);
        if (turn >= 0) times[name].push(ms);
      }
    const [through, alone] = [median(times.fleet), median(times.local)];
    figures.push(
      ownFigure(`first token of a gateway by itself, ${door}, p50`, "ms", alone),
      ownFigure(`first token through the fleet, ${door}, p50`, "ms", through),
      ownFigure(`first token through the fleet above local, ${door}, p50`, "ms", through - alone, MOST_ABOVE_MS),
    );
  }
  return figures;
}

const chatFirstToken: FirstToken = async ({ url, token }) => {
  const sentAt = performance.now();
  const response = await fetch(new URL("/v1/chat/completions", url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "auto",
      stream: true,
      messages: [{ role: "user", content: `Say hello ${randomUUID()}` }],
    }),
  });
  if (!response.ok || response.body === null) throw new Error(`The door answered ${response.status}`);
  let [text, firstMs] = ["", Number.NaN];
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (Number.isNaN(firstMs) && /"content":"[^"]/.test(text)) firstMs = performance.now() - sentAt;
  }
  return firstMs;
};

const nativeFirstToken: FirstToken = async ({ url, token }, workspace) => {
  const client = createNativeClient({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
  const { id } = await client.createSession({ workspace, permission: "full" });
  const sentAt = performance.now();
  await client.startTurn(id, { prompt: "Say hello" });
  let firstMs = Number.NaN;
  for await (const batch of client.followEvents(id, { after: 0, signal: AbortSignal.timeout(60_000) })) {
    const types = batch.map(({ event }) => event.type);
    if (Number.isNaN(firstMs) && types.includes("text-delta")) firstMs = performance.now() - sentAt;
    if (types.includes("turn-end")) break;
  }
  return firstMs;
};
