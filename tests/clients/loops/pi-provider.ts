import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CodingClient } from "./coding-client.ts";

const root = fileURLToPath(new URL("../../../packages/pi-provider", import.meta.url));
const pi = { spec: "@earendil-works/pi-coding-agent@0.87.1", command: "pi" };

/** Pi with Caret's extension, which finds the gateway by itself. */
const throughGateway: CodingClient = {
  name: "pi with Caret's provider, through the gateway",
  package: pi,
  prepare: ({ url, token, repository }) => ({
    args: ["-p", "-e", root, "--provider", "caret", "--model", "auto"],
    env: { ...settings(repository.home), CARET_URL: url, CARET_TOKEN: token },
  }),
};

/** Pi with Caret inside it, over the API lane. `url` is the upstream's, `token` an API key. */
const inProcess: CodingClient = {
  name: "pi with Caret's provider, inside Pi",
  package: pi,
  prepare: ({ url, token, repository }) => ({
    args: ["-p", "-e", join(root, "src", "in-process-provider.ts"), "--provider", "caret-api", "--model", "auto"],
    env: {
      ...settings(repository.home),
      CARET_DATA_DIR: join(repository.home, "caret"),
      CURSOR_AGENT_URL: url,
      CURSOR_API_KEY: token,
    },
  }),
};

export const piProviders = { throughGateway, inProcess };

function settings(home: string): Record<string, string> {
  return { PI_CODING_AGENT_DIR: join(home, ".pi"), PI_OFFLINE: "1", PI_TELEMETRY: "0" };
}
