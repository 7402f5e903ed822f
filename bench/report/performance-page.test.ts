import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toRecord } from "../figures/figure-record.ts";
import { toSeriesRecord } from "../figures/series.ts";
import { type FiguresFile, readFigures } from "./figures-file.ts";
import { makeReport } from "./performance-page.ts";
import { pagePath, picturesPath } from "./write-report.ts";

const machine = { cores: 2, memoryGigabytes: 24, system: "linux x64", node: "24.21.0", loadBefore: 0.1 };
const figures: FiguresFile = {
  doors: {
    day: "2026-11-17",
    machine,
    rounds: 3,
    series: [],
    figures: [
      toRecord({
        what: "first token",
        unit: "ms",
        rounds: { rawpipe: [2, 4, 10], caret: [4, 6, 10], peer: [6, 12, 30] },
        floor: "rawpipe",
        bar: { of: "ratio", most: 1.3 },
      }),
    ],
  },
  growth: {
    day: "2026-11-18",
    machine,
    rounds: 5,
    figures: [],
    series: [
      toSeriesRecord({
        id: "store",
        what: "first token by the size of the store",
        sizeName: "sessions",
        sizes: [0, 10, 1000],
        scale: "powers",
        unit: "ms",
        rounds: { caret: [[3], [3], [4]], "a & b": [[30], [30], [40]] },
      }),
    ],
  },
};

describe("The report on performance", () => {
  const { page, pictures } = makeReport(figures);

  it("gives each figure with spread, ratio, bar and verdict, and other gateways below", () => {
    expect(page).toContain(
      "| first token | rawpipe 4 ms (3–7) | 6 ms (5–8) | 1.50× (1.25–1.75) | ≤ 1.3× | MISSED |\n| … peer |  | 12 ms (9–21) | 3.00× |  |  |\n",
    );
  });

  it("names the day, the kind of machine and the rounds of each part", () => {
    const kind = "2 cores, 24 GB, linux x64, Node 24.21.0; load before: 0.1";
    expect(page.match(/^Measured on .*$/gm)).toEqual([
      `Measured on 2026-11-17: ${kind}. Medians of 3 interleaved rounds (quartiles).`,
      `Measured on 2026-11-18: ${kind}. Medians of 5 interleaved rounds (quartiles).`,
    ]);
  });

  it("shows every picture that it comes with, and no other", () => {
    const shown = [...page.matchAll(/\(pictures\/([\w.-]+)\)/g)].map(([, name]) => name);
    expect(shown).toEqual(["performance-ratios.svg", "performance-store.svg"]);
    expect(Object.keys(pictures)).toEqual(shown);
  });

  it("draws only numbers that exist, and words as words", () => {
    const drawings = Object.values(pictures).join("");
    expect(drawings).not.toMatch(/NaN|Infinity|undefined/);
    expect(pictures["performance-store.svg"]).toContain(">a &amp; b</text>");
  });

  it("leaves out what was not measured yet", () => {
    expect(Object.keys(makeReport({}).pictures)).toEqual([]);
    expect(makeReport({}).page).not.toContain("## Growth");
  });
});

describe("The committed report", () => {
  it("is what the bench makes of the committed figures: nobody changed it by hand", () => {
    const { page, pictures } = makeReport(readFigures());
    const committed = Object.keys(pictures).map((name) => [name, readFileSync(join(picturesPath, name), "utf8")]);
    expect(readFileSync(pagePath, "utf8")).toBe(page);
    expect(Object.fromEntries(committed)).toEqual(pictures);
  });
});
