import { statSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The projects whose files take longest first: what is started last is waited for alone. All files of a project in a row:
 * vitest hands a worker, with the modules it has loaded, only to a next file of the same project.
 */
const order = ["page", "process", "unit"];

/**
 * Tests that start hundreds of processes from their own. Each start copies the page tables of a worker, which grow with all that ran in it:
 * in a worker of 450 MB these took three quarters more CPU time than in a new one.
 */
const starters = /\/packages\/runtime\/src\/(?:worktrees|sandbox|policy|sessions\/changes)\//;

/** Project by project, and in each those that start many processes first, then the larger files before the smaller ones. */
export class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sizes = new Map(files.map((file) => [file, sizeOf(file)]));
    return [...files].sort(
      (one, other) =>
        order.indexOf(one.project.name) - order.indexOf(other.project.name) ||
        Number(starters.test(other.moduleId)) - Number(starters.test(one.moduleId)) ||
        (sizes.get(other) ?? 0) - (sizes.get(one) ?? 0),
    );
  }
}

function sizeOf({ moduleId }: TestSpecification): number {
  return statSync(moduleId, { throwIfNoEntry: false })?.size ?? 0;
}
