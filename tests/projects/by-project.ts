import { statSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The projects whose files take longest first: what is started last is waited for alone. All files of a project in a row:
 * vitest hands a worker, with the modules it has loaded, only to a next file of the same project.
 */
const order = ["page", "process", "unit"];

/** Project by project, and in each the larger files before the smaller ones. */
export class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sizes = new Map(files.map((file) => [file, sizeOf(file)]));
    return [...files].sort(
      (one, other) =>
        order.indexOf(one.project.name) - order.indexOf(other.project.name) ||
        (sizes.get(other) ?? 0) - (sizes.get(one) ?? 0),
    );
  }
}

function sizeOf({ moduleId }: TestSpecification): number {
  return statSync(moduleId, { throwIfNoEntry: false })?.size ?? 0;
}
