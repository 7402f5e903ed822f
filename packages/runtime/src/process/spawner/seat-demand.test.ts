import { expect, it } from "vitest";
import { SeatDemand } from "./seat-demand.ts";

function start(demand: SeatDemand, agents: number): void {
  for (let started = 0; started < agents; started += 1) demand.note();
}

it("wants as many seats as a burst had agents, within its limits", () => {
  const demand = new SeatDemand({ least: 4, most: 50 });
  const wanted = [3, 40, 60].map((agents) => {
    start(demand, agents);
    demand.endBurst();
    return demand.wanted;
  });
  expect(wanted).toEqual([4, 40, 50]);
});

it("wants as many for the next burst when the last one found a seat for each", () => {
  const demand = new SeatDemand({ least: 4, most: 50 });
  const wanted = [40, 40, 40].map((agents) => {
    start(demand, agents);
    demand.endBurst();
    return demand.wanted;
  });
  expect(wanted).toEqual([40, 40, 40]);
});

it("wants fewer with each smaller burst, and the least again when nothing was started for long", () => {
  const demand = new SeatDemand({ least: 4, most: 50 });
  start(demand, 40);
  demand.endBurst();
  start(demand, 1);
  demand.endBurst();
  const faded = demand.wanted;
  demand.forget();
  expect([faded, demand.wanted]).toEqual([36, 4]);
});
