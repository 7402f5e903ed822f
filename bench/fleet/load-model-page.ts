import type { FigureRecord } from "../figures/figure-record.ts";
import type { FiguresSection } from "../report/figures-file.ts";
import { toMachineText } from "../report/machine-class.ts";
import { assumptions, type FleetCosts, type LoadModel, modelLoad } from "./load-model.ts";

const BEGIN = "<!-- Made by `npm run bench fleet -- --report`. Do not edit: a test compares it. -->";
const END = "<!-- The end of what was made. -->";

/** What each cost is called among the figures of `npm run bench fleet`. */
export const costFigures: Readonly<Record<keyof FleetCosts, string>> = {
  gatewayFollowed: "processor of a gateway for 1,000 followed events",
  gatewayHeard: "processor of a gateway for 1,000 events that nobody follows",
  workerAppends: "processor of a worker for 1,000 appends",
  databaseAppends: "processor of the database for 1,000 appends, one follower",
  gatewayTurn: "processor of a gateway for a turn",
  workerTurn: "processor of a worker for a turn, without its agent",
  databaseTurn: "processor of the database for a turn",
};

/** The page with the model of these figures in it. Without figures it stays as it is. */
export function withLoadModel(page: string, section: FiguresSection | undefined): string {
  const [before, rest] = page.split(`${BEGIN}\n`);
  const [, after] = rest?.split(`${END}\n`) ?? [];
  if (section === undefined || before === undefined || after === undefined) return page;
  return `${before}${BEGIN}\n${modelText(section)}\n${END}\n${after}`;
}

function modelText(section: FiguresSection): string {
  const costs = readCosts(section.figures);
  const model = modelLoad(costs, assumptions);
  const rows = Object.entries(costFigures).map(
    ([key, what]) => `| ${what} | ${round(costs[key as keyof FleetCosts])} ms |`,
  );
  const limit = (most: number): string => (Number.isFinite(most) ? whole(most) : "grows with their number");
  const loads = model.resources.map(
    ({ name, cores, mostSessions }) => `| ${name} | ${round(cores)} | ${limit(mostSessions)} |`,
  );
  return [
    `Measured on ${section.day}, ${toMachineText(section.machine)}, everything on that one machine:\n`,
    "| Cost | |\n|---|---|",
    ...rows,
    `\nAssumed: ${whole(assumptions.sessions)} sessions with a running turn and one follower each, ${assumptions.appendsPerSecond} appends per second and session, turns of ${assumptions.turnSeconds} s, ${assumptions.sessionsPerWorker} sessions per worker, cores at most ${assumptions.utilisation * 100} % busy. That is ${whole(model.appendsPerSecond)} appends and ${whole(model.turnsPerSecond)} turns per second, ${whole(model.workers)} workers and ${gatewayWords(model)}.\n`,
    "| Part | Cores for all | Most sessions |\n|---|---|---|",
    ...loads,
    `\n**The first bottleneck is ${model.bottleneck.name}: at ${whole(model.bottleneck.mostSessions)} sessions.**`,
  ].join("\n");
}

function gatewayWords({ gateways }: LoadModel): string {
  return gateways === undefined ? "more gateways than there can be: the hints alone fill one" : `${gateways} gateways`;
}

function readCosts(figures: readonly FigureRecord[]): FleetCosts {
  const measured = (what: string): number => {
    const value = figures.find((figure) => figure.what === what)?.servers[0]?.value?.median;
    if (value === undefined) throw new Error(`There is no figure "${what}": run \`npm run bench fleet -- --report\``);
    return value;
  };
  const entries = Object.entries(costFigures).map(([key, what]) => [key, measured(what)]);
  return Object.fromEntries(entries) as FleetCosts;
}

function round(number: number): string {
  return String(Number(number.toPrecision(3)));
}

function whole(number: number): string {
  return Math.round(number).toLocaleString("en");
}
