/**
 * The files that `npm run test:full` runs and `npm test` does not: longer proofs of what cheaper tests show too. Decision 29
 * says for each what `npm test` has instead.
 */
export const fullOnly: readonly string[] = [
  "packages/runtime/src/log/sqlite/sharing.test.ts",
  "packages/runtime/src/process/spawner/create-spawner.process.test.ts",
  "packages/simulator/src/cli/commands.test.ts",
  "packages/simulator/src/cli/failures.test.ts",
  "packages/simulator/src/conformance.test.ts",
  "packages/simulator/src/scenario/faults.test.ts",
  "tests/agents/docs-agents.test.ts",
  "tests/clients/acp-life.test.ts",
  "tests/clients/installed-clients.test.ts",
  "tests/clients/kept-responses.test.ts",
  "tests/clients/loop-guard.test.ts",
  "tests/clients/vanished-clients.test.ts",
  "tests/native/busy-log.test.ts",
  "tests/native/commands-once.test.ts",
  "tests/native/random-disconnects.test.ts",
  "tests/page/first-words.test.ts",
  "tests/page/numbers.test.ts",
  "tests/page/restart.test.ts",
  "tests/page/rough-edges.test.ts",
  "tests/page/truth.test.ts",
  "tests/turns/warm-agents.test.ts",
];
