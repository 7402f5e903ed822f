import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readFigures } from "../report/figures-file.ts";
import { type FleetCosts, modelLoad } from "./load-model.ts";
import { withLoadModel } from "./load-model-page.ts";

const costs: FleetCosts = {
  gatewayFollowed: 300,
  gatewayHeard: 100,
  workerAppends: 200,
  databaseAppends: 500,
  gatewayTurn: 10,
  workerTurn: 20,
  databaseTurn: 40,
};
const assumed = {
  sessions: 1_000,
  appendsPerSecond: 2,
  turnSeconds: 50,
  sessionsPerWorker: 16,
  utilisation: 0.7,
  databaseCores: 4,
};

it("adds up what appends and turns cost each part, and names the part that is full first", () => {
  const model = modelLoad(costs, assumed);
  // 2,000 appends and 20 turns each second.
  expect(model).toEqual({
    appendsPerSecond: 2_000,
    turnsPerSecond: 20,
    workers: 63,
    // 0.6 cores of serving, and half a core in each left by the 0.2 of hearing hints.
    gateways: 2,
    resources: [
      { name: "hints, heard by each gateway", cores: 0.2, mostSessions: 3_500 },
      { name: "the database, 4 cores", cores: 1.8, mostSessions: (1_000 * 0.7 * 4) / 1.8 },
      { name: "gateways, serving clients", cores: 0.6, mostSessions: Number.POSITIVE_INFINITY },
      { name: "workers, without agents", cores: 0.8, mostSessions: Number.POSITIVE_INFINITY },
    ],
    bottleneck: model.resources[1],
  });
});

it("finds no number of gateways where the hints alone fill a core", () => {
  const model = modelLoad(costs, { ...assumed, sessions: 4_000, databaseCores: 64 });
  expect([model.gateways, model.bottleneck.name]).toEqual([undefined, "hints, heard by each gateway"]);
});

it("the page about fleets shows the model of the committed figures, unedited", () => {
  const page = readFileSync(fileURLToPath(new URL("../../docs/fleet.md", import.meta.url)), "utf8");
  expect(page).toBe(withLoadModel(page, readFigures()["fleet"]));
});
