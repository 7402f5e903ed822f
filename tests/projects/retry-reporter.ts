import type { Reporter, TestCase } from "vitest/node";

/** Prints how many tests passed only when they were run again: a retry never hides a flake. */
export class RetryReporter implements Reporter {
  readonly #retried: string[] = [];

  onTestCaseResult(test: TestCase): void {
    const retries = test.diagnostic()?.retryCount ?? 0;
    if (retries > 0) this.#retried.push(`${test.module.relativeModuleId} > ${test.fullName} (${retries})`);
  }

  onTestRunEnd(): void {
    const names = this.#retried.map((name) => `  ${name}\n`).join("");
    process.stdout.write(`Retried tests: ${this.#retried.length}\n${names}`);
  }
}
