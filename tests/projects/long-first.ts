import { statSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, longest first: started last, each of them would be waited for alone. */
const longest: readonly string[] = [];

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
