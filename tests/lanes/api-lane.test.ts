import { startUpstream } from "@caret/simulator/upstream";
import { describe } from "vitest";
import { describeLane } from "./lane.contract.ts";

describe.each([
  ["HTTP/2", "2"],
  ["HTTP/1.1", "1.1"],
])("over %s", (name, httpVersion) => {
  describeLane(`api, over ${name}`, {
    lane: "api",
    async open(bench, scenario, settings) {
      const upstream = await startUpstream(scenario === undefined ? {} : { scenario });
      const env = { CURSOR_AGENT_URL: upstream.url, CURSOR_API_KEY: "key_for_tests" };
      const { engine, close } = await bench.open({ settings: { ...settings, lane: "api", api: { httpVersion } }, env });
      const isRun = (record: Readonly<Record<string, unknown>>): boolean =>
        record["event"] === "request" && /AgentService\/Run/.test(String(record["path"]));
      return {
        engine,
        workspace: bench.workspace(),
        runs: () => upstream.records.filter(isRun).length,
        leftovers: () => 0,
        async close() {
          await close();
          await upstream.close();
        },
      };
    },
  });
});
