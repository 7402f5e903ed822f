import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { benchAcp } from "./acp.ts";
import { benchApi } from "./api.ts";
import { benchAtWork } from "./at-work.ts";
import type { BenchOptions, BenchOutcome } from "./bench-outcome.ts";
import { hasPassed, toTable } from "./bench-report.ts";
import { benchDecode } from "./decode.ts";
import { targetDoor } from "./doors/target-door.ts";
import { benchDoors } from "./doors.ts";
import { findRegressions, toRegressionText } from "./figures/check-figures.ts";
import { toRecord } from "./figures/figure-record.ts";
import { benchFleet } from "./fleet.ts";
import { benchGrowth } from "./growth.ts";
import { benchPage } from "./page.ts";
import { readFigures } from "./report/figures-file.ts";
import { machineClass } from "./report/machine-class.ts";
import { renderReport, writeReport } from "./report/write-report.ts";
import { benchSearch } from "./search.ts";

/** Each benchmark by the name it is asked for. */
const benches: Readonly<Record<string, (options: BenchOptions) => BenchOutcome | Promise<BenchOutcome>>> = {
  acp: benchAcp,
  api: benchApi,
  "at-work": benchAtWork,
  decode: () => {
    const report = benchDecode();
    return { passed: hasPassed(report), table: toTable(report), report, figures: [], series: [] };
  },
  doors: benchDoors,
  fleet: benchFleet,
  growth: benchGrowth,
  page: benchPage,
  search: benchSearch,
};

const QUICK_ROUNDS = 3;
const ROUNDS = 5;

const options = {
  help: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  quick: { type: "boolean", default: false },
  full: { type: "boolean", default: false },
  rounds: { type: "string" },
  // The measurements to make, several times if need be.
  only: { type: "string", multiple: true, default: [] },
  // Other gateways, as name=url, and the model to ask them for.
  target: { type: "string", multiple: true, default: [] },
  model: { type: "string", default: "auto" },
  "serve-arg": { type: "string", multiple: true, default: [] },
  // Compare with the committed figures, or write them.
  check: { type: "boolean", default: false },
  report: { type: "boolean", default: false },
  // Only make the report of the committed figures again, after a change of its words.
  render: { type: "boolean", default: false },
} satisfies ParseArgsOptionsConfig;
const { positionals, values, misread } = readArguments();
const names = positionals.length > 0 ? positionals : ["doors"];
const mistake = misread ?? findMistake();

if (mistake !== undefined) {
  console.error(`${mistake}\n${usage()}`);
  process.exitCode = 2;
} else if (values.help) console.log(usage());
else if (values.render) renderReport();
else for (const name of names) await run(name);

function readArguments() {
  try {
    return { ...parseArgs({ allowPositionals: true, options }), misread: undefined };
  } catch (reason) {
    const misread = reason instanceof Error ? reason.message : String(reason);
    return { ...parseArgs({ args: [], allowPositionals: true, options }), misread };
  }
}

function usage(): string {
  const flags = Object.entries(options).map(([name, { type }]) => (type === "string" ? `--${name} …` : `--${name}`));
  return `Usage: npm run bench [${Object.keys(benches).join(" | ")}] -- [${flags.join("] [")}]\n--only names one measurement; one that does not exist lists those that do.`;
}

function findMistake(): string | undefined {
  const unknown = names.filter((name) => !Object.hasOwn(benches, name));
  if (unknown.length > 0)
    return `There is no benchmark ${unknown.join(", ")}; there is: ${Object.keys(benches).join(", ")}`;
  if (values.rounds !== undefined && !/^[1-9]\d*$/.test(values.rounds)) return "--rounds takes a number from 1 on";
  if (values.report && !names.every((name) => ["doors", "fleet", "growth"].includes(name)))
    return "Only doors, fleet and growth have a report";
  if (values.report && values.only.length > 0) return "A report is made of all measurements: leave out --only";
  const missing = names.filter((name) => readFigures()[name] === undefined);
  if (values.check && missing.length > 0) return `There are no committed figures of ${missing.join(", ")}`;
  return undefined;
}

async function run(name: string): Promise<void> {
  const rounds = Number(values.rounds ?? (values.quick ? QUICK_ROUNDS : ROUNDS));
  const machine = machineClass();
  const outcome = await benches[name]?.({
    quick: values.quick,
    full: values.full,
    rounds,
    only: values.only,
    targets: values.target.map((word) => targetDoor(word, { model: values.model, env: process.env })),
    serveArgs: values["serve-arg"],
  });
  if (outcome === undefined) return;
  console.log(values.json ? JSON.stringify({ ...outcome.report, passed: outcome.passed }) : outcome.table);
  if (values.report) writeReport(name, outcome, { machine, rounds, now: new Date() });
  // A bar that was missed before is no news to a check.
  const isFine = values.check ? isNoWorse(name, outcome) : outcome.passed;
  if (!isFine) process.exitCode = 1;
}

function isNoWorse(name: string, { figures }: BenchOutcome): boolean {
  const regressions = findRegressions(figures.map(toRecord), readFigures()[name]?.figures ?? []);
  for (const regression of regressions) console.error(toRegressionText(regression));
  return regressions.length === 0;
}
