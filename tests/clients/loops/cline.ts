import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { ClientPlace, CodingClient } from "./coding-client.ts";

/** With `--id` it opens its screen, whatever else it is given. Ids begin with the time. */
export function lastClineSession({ repository }: ClientPlace) {
  const [last = ""] = readdirSync(join(repository.home, ".cline/data/sessions")).toSorted().reverse();
  return { args: ["--id", last], ready: "Ask anything" };
}

export const cline: CodingClient = {
  name: "Cline",
  package: { spec: "cline@3.0.65", command: "cline" },
  setUp: ({ url, token }) => [
    ["auth", "openai-compatible", "--apikey", token, "--modelid", "auto", "--baseurl", `${url}/v1`],
  ],
  prepare: ({ token, repository }) => {
    const settings = repository.keep(".cline/global-settings.json", JSON.stringify({ telemetryOptOut: true }));
    return {
      args: [
        "--auto-approve",
        "true",
        "-c",
        repository.directory,
        "-P",
        "openai-compatible",
        "-k",
        token,
        "-m",
        "auto",
      ],
      // Its daemon would outlive the test, and serve the next one from a directory that is gone.
      env: { CLINE_GLOBAL_SETTINGS_PATH: settings, CLINE_SESSION_BACKEND_MODE: "local" },
    };
  },
  goOnInTerminal: lastClineSession,
};
