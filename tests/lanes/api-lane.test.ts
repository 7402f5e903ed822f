import { featuresOf } from "@caret/runtime";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
import { describe } from "vitest";
import { openApiStage } from "./api-bench.ts";
import { describeLane } from "./lane.contract.ts";

// What differs over HTTP/1.1 is in api-faults and api-transports, over both.
const versions = ["2", "1.1"].slice(0, barSize({ quick: 1, full: 2 }));

describe.each(versions)("over HTTP/%s", (httpVersion) => {
  describeLane(`api, over HTTP/${httpVersion}`, {
    lane: "api",
    features: featuresOf.api,
    async open(bench, scenario, settings) {
      const stage = await openApiStage(bench, {
        settings: { ...settings, api: { httpVersion } },
        ...(scenario === undefined ? {} : { scenario }),
      });
      return {
        engine: stage.opened.engine,
        workspace: bench.workspace(),
        runs: () => stage.requests().filter((line) => / Run(?:SSE)?$/.test(line)).length,
        leftovers: () => stage.upstream.openRuns,
        close: () => stage.close(),
      };
    },
  });
});
