import { statSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, longest first: started last, each of them would be waited for alone. */
const longest: readonly string[] = [
  "tests/clients/loops-light.test.ts",
  "tests/page/consent.test.ts",
  "packages/runtime/src/log/sqlite/sharing.test.ts",
  "tests/page/screens.test.ts",
  "tests/clients/leaving-clients.test.ts",
  "tests/page/transcript.test.ts",
  "tests/clients/conversations.test.ts",
  "tests/clients/kill-moments.test.ts",
  "packages/simulator/src/cli/failures.test.ts",
  "packages/cli/src/serve/gateway-tools.test.ts",
  "tests/page/sessions.test.ts",
  "tests/native/random-disconnects.test.ts",
  "tests/turns/cancel-races.test.ts",
  "tests/turns/no-orphans.test.ts",
  "tests/load/gateway-under-load.test.ts",
  "packages/runtime/src/log/sqlite/crash.test.ts",
  "packages/runtime/src/log/sqlite/disk-fault.test.ts",
  "tests/native/turns-over-the-wire.test.ts",
  "tests/faults/exit-faults.test.ts",
  "tests/native/stuck-readers.test.ts",
  "tests/faults/output-faults.test.ts",
  "packages/runtime/src/tools/files/confined-path.test.ts",
  "packages/cli/src/commands/decode.test.ts",
  "packages/simulator/src/scenario/faults.test.ts",
  "packages/runtime/src/tools/mcp/mcp-tools.test.ts",
  "tests/turns/warm-agents.test.ts",
  "tests/native/busy-log.test.ts",
  "tests/native/stopping.test.ts",
];

/** Long files first, then larger before smaller; unit tests last, since they are short and share their workers. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranks = new Map(files.map((file) => [file, rankOf(file)]));
    return [...files].sort((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0));
  }
}

function rankOf({ moduleId, project }: TestSpecification): number {
  const place = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
  if (place !== -1) return place;
  const afterLonger = 1 / (1 + (statSync(moduleId, { throwIfNoEntry: false })?.size ?? 0));
  return longest.length + (project.name === "unit" ? 1 : 0) + afterLonger;
}
