import { readFileSync, writeFileSync } from "node:fs";
import { featuresOf, type LaneFeature, laneFeatures } from "@caret/runtime";
import { expect, test } from "vitest";

const page = new URL("../../docs/lanes.md", import.meta.url);
const block = /(?<=<!-- features -->\n).*?(?=<!-- \/features -->)/s;

/** What the contract of lanes holds each lane to, as people read it. */
function table(): string {
  const lanes = Object.keys(featuresOf) as (keyof typeof featuresOf)[];
  const has = (lane: keyof typeof featuresOf, feature: LaneFeature): boolean =>
    (featuresOf[lane] as readonly LaneFeature[]).includes(feature);
  const rows = (Object.keys(laneFeatures) as LaneFeature[]).map((feature) => {
    const cells = lanes.map((lane) => (has(lane, feature) ? "yes" : "–"));
    return `| ${laneFeatures[feature]} | ${cells.join(" | ")} |`;
  });
  const head = `| | ${lanes.map((lane) => `\`${lane}\``).join(" | ")} |`;
  return `${[head, `|---|${lanes.map(() => "---").join("|")}|`, ...rows].join("\n")}\n`;
}

test("the table of features in docs/lanes.md is what the lanes declare; UPDATE_DOCS=1 writes it there", () => {
  const text = readFileSync(page, "utf8");
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(page, text.replace(block, table()));
  expect(block.exec(readFileSync(page, "utf8"))?.[0]).toBe(table());
});
