import { describe, expect, it } from "vitest";
import { explainConfig } from "./explain-config.ts";
import { loadConfig } from "./load-config.ts";

function explain(env: Readonly<Record<string, string>>, flags: Readonly<Record<string, unknown>> = {}) {
  const file = '{"server":{"port":80}}';
  const readFile = (path: string) => (path.startsWith("/home") ? file : undefined);
  const loaded = loadConfig({ flags, env, cwd: "/app", home: "/home/ada", platform: "linux", readFile });
  return explainConfig(loaded);
}

describe("explainConfig", () => {
  it("shows each value and who said so", () => {
    const shown = explain({ CARET_LANE: "sim" }, { model: "m" });
    const keys = ["lane", "model", "server.port", "server.host", "cli.command"];
    expect(shown.filter(({ key }) => keys.includes(key))).toEqual([
      { key: "lane", value: "sim", source: "CARET_LANE" },
      { key: "model", value: "m", source: "--model" },
      { key: "cli.command", value: undefined, source: "default" },
      { key: "server.host", value: "127.0.0.1", source: "default" },
      { key: "server.port", value: 80, source: "/home/ada/.config/caret/caret.json" },
    ]);
  });

  it("hides the agent's variables and the arguments of commands that print keys", () => {
    const profiles = { work: { apiKeyCommand: ["pass", "show", "cursor"] } };
    const shown = explain({ CARET_CLI_ENV: '{"TOKEN":"t0p"}', CARET_PROFILES: JSON.stringify(profiles) });
    expect(shown.filter(({ source }) => source.startsWith("CARET_"))).toEqual([
      { key: "cli.env", value: { TOKEN: "[secret]" }, source: "CARET_CLI_ENV" },
      {
        key: "profiles",
        value: { work: { apiKeyCommand: ["pass", "[secret]", "[secret]"] } },
        source: "CARET_PROFILES",
      },
    ]);
  });
});
