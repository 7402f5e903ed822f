import { CARET } from "./figure.ts";
import type { FigureRecord } from "./figure-record.ts";
import type { Spread } from "./quantile.ts";

/** How much worse a ratio may become. */
const MOST_WORSE = 1.2;

/** A ratio that is worse than the committed one by more than noise explains. */
export interface Regression {
  readonly what: string;
  readonly before: Spread;
  readonly now: Spread;
}

/**
 * Ratios alone are compared, because times differ between machines. One is worse when its median is by over a fifth, and
 * when the rounds of both lie apart: its lower quartile above the upper quartile of the committed ones. A figure that
 * either side lacks is not compared.
 */
export function findRegressions(
  figures: readonly FigureRecord[],
  committed: readonly FigureRecord[],
): readonly Regression[] {
  return figures.flatMap((figure) => {
    const before = ratioOf(committed.find(({ what }) => what === figure.what));
    const now = ratioOf(figure);
    if (before === undefined || now === undefined) return [];
    const isWorse = now.median > before.median * MOST_WORSE && now.low > before.high;
    return isWorse ? [{ what: figure.what, before, now }] : [];
  });
}

export function toRegressionText({ what, before, now }: Regression): string {
  const text = ({ median, low, high }: Spread): string =>
    `${median.toFixed(2)}× (${low.toFixed(2)}–${high.toFixed(2)})`;
  return `worse: ${what}: ${text(now)}, committed ${text(before)}`;
}

function ratioOf(figure: FigureRecord | undefined): Spread | undefined {
  return figure?.servers.find(({ name }) => name === CARET)?.ratio;
}
