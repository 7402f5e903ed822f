import type { Page } from "playwright-core";

/** How long the page's one thread was busy between two moments, in milliseconds. */
export interface BusyTime {
  readonly elapsed: number;
  /** In tasks of more than 50 ms, which a reader can feel. */
  readonly longTasks: number;
  /** In all tasks. */
  readonly tasks: number;
}

/** Begins to count now; what it returns gives the sum so far. */
export async function countBusyTime(page: Page): Promise<() => Promise<BusyTime>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  const read = async (): Promise<BusyTime> => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    const seconds = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
    return {
      elapsed: seconds("Timestamp") * 1000,
      tasks: seconds("TaskDuration") * 1000,
      longTasks: await page.evaluate<number>("globalThis.longTaskMs"),
    };
  };
  await page.evaluate(`(() => {
    globalThis.longTaskMs = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longTaskMs += duration;
    }).observe({ type: "longtask" });
  })()`);
  const before = await read();
  return async () => {
    const after = await read();
    return {
      elapsed: after.elapsed - before.elapsed,
      tasks: after.tasks - before.tasks,
      longTasks: after.longTasks - before.longTasks,
    };
  };
}
