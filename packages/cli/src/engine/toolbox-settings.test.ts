import { PassThrough } from "node:stream";
import { createSpawner } from "@caret/runtime";
import { afterAll, describe, expect, it } from "vitest";
import type { Config } from "../config/config-schema.ts";
import { explainConfig } from "../config/explain-config.ts";
import { loadConfig } from "../config/load-config.ts";
import type { Host } from "../host/host.ts";
import { repairSettings } from "./agent-hosts.ts";
import { knownSecrets } from "./known-secrets.ts";
import { toolboxSettings, toolSecrets } from "./toolbox-settings.ts";

const spawner = createSpawner({ mode: "inline", dataDir: "/nowhere" });
afterAll(() => spawner.close());

function hostOf(env: Readonly<Record<string, string>>): Host {
  const stream = () => new PassThrough();
  return {
    argv: [],
    command: "caret",
    env,
    cwd: "/home/ada",
    home: "/home/ada",
    platform: "linux",
    uid: undefined,
    stdin: stream(),
    stdout: stream(),
    stderr: stream(),
    onSignal: () => () => undefined,
  };
}

const load = (env: Readonly<Record<string, string>>) =>
  loadConfig({ ...hostOf(env), flags: {}, readFile: () => undefined });
const configOf = (env: Readonly<Record<string, string>>): Config => load(env).config;
const withServers = (servers: object) => ({ CARET_MCP_SERVERS: JSON.stringify(servers) });

const servers = withServers({
  files: { command: "/usr/bin/files-mcp", args: ["--all"], env: { FILES_KEY: "hush-hush-1" } },
  far: { url: "https://mcp.example.com/x", headers: { authorization: "Bearer hush-hush-2" }, callTimeoutMs: 5000 },
});

describe("MCP servers", () => {
  it("are programs or addresses, with their secrets wrapped", () => {
    const { servers: made } = toolboxSettings(hostOf({}), configOf(servers), { spawner, outputsDir: "/tmp" });
    expect(JSON.parse(JSON.stringify(made))).toEqual([
      {
        name: "files",
        transport: "stdio",
        command: "/usr/bin/files-mcp",
        args: ["--all"],
        env: { FILES_KEY: "[secret]" },
        cwd: "/home/ada",
      },
      {
        name: "far",
        transport: "http",
        url: "https://mcp.example.com/x",
        headers: { authorization: "[secret]" },
        callTimeoutMs: 5000,
      },
    ]);
  });

  it("keep their secrets out of the log, and out of what the configuration shows", () => {
    expect(toolSecrets(configOf(servers)).map((secret) => secret.reveal())).toEqual([
      "hush-hush-1",
      "Bearer hush-hush-2",
    ]);
    expect(JSON.stringify(explainConfig(load(servers)))).not.toContain("hush-hush");
  });

  it("are no secret in words that merely set them up", () => {
    const harmless = withServers({
      far: {
        url: "https://mcp.example.com/x",
        headers: { accept: "application/json", authorization: "Bearer h-1-2-3" },
      },
      near: { command: "files-mcp", env: { NODE_ENV: "production", LOG_FORMAT: "application/json" } },
    });
    const known = [
      ...toolSecrets(configOf(harmless)),
      ...knownSecrets(hostOf({}), configOf({ CARET_CLI_ENV: JSON.stringify({ NODE_ENV: "production" }) })),
    ];
    expect(known.map((secret) => secret.reveal())).toEqual(["Bearer h-1-2-3"]);
  });

  it.each([
    ["neither a program nor an address", { one: {} }],
    ["both at once", { one: { command: "a", url: "https://example.com" } }],
    ["a name that could be taken for another's", { one__two: { command: "a" } }],
    ["an address that is no web address", { one: { url: "file:///etc/passwd" } }],
  ])("are refused with %s", (_what, wrong) => {
    expect(() => configOf(withServers(wrong))).toThrow();
  });
});

it("the keys among the headers for traces are secrets, and no other header is", () => {
  const headers = JSON.stringify({ accept: "application/json", authorization: "Bearer o-t-l-p" });
  const known = knownSecrets(hostOf({}), configOf({ CARET_TELEMETRY_OTLP_HEADERS: headers }));
  expect(known.map((secret) => secret.reveal())).toEqual(["Bearer o-t-l-p"]);
});

describe("the policy of the gateway's tools", () => {
  it("changes files and runs nothing by default", () => {
    const { policy } = toolboxSettings(hostOf({}), configOf({}), { spawner, outputsDir: "/tmp" });
    expect(policy).toEqual({ mode: "auto-edits", rules: [] });
  });

  it("takes rules, and a rule without an effect denies", () => {
    const rules = [{ effect: "allow", command: "npm test" }, { path: ".env" }];
    const env = { CARET_TOOLS_POLICY: "auto", CARET_TOOLS_RULES: JSON.stringify(rules) };
    const { policy } = toolboxSettings(hostOf({}), configOf(env), { spawner, outputsDir: "/tmp" });
    expect(policy).toEqual({
      mode: "auto",
      rules: [
        { effect: "allow", command: "npm test" },
        { effect: "deny", path: ".env" },
      ],
    });
  });

  it("refuses a rule about a command and a path at once", () => {
    expect(() => configOf({ CARET_TOOLS_RULES: '[{"command":"rm","path":"a"}]' })).toThrow();
  });
});

describe("the repair of streamed calls", () => {
  it.each([
    [{}, { version: "v1", autoFallback: true }],
    [{ CURSOR_ACP_PROVIDER_BOUNDARY: "legacy" }, { version: "legacy", autoFallback: true }],
    [{ CURSOR_ACP_PROVIDER_BOUNDARY_AUTOFALLBACK: "false" }, { version: "v1", autoFallback: false }],
    [
      { CURSOR_ACP_PROVIDER_BOUNDARY: "legacy", CARET_TOOLS_BOUNDARY: "v1", CARET_TOOLS_BOUNDARY_FALLBACK: "0" },
      { version: "v1", autoFallback: false },
    ],
  ])("of the environment %j is %j: our own names come first", (env, expected) => {
    expect(repairSettings({ env }, configOf(env))).toEqual(expected);
  });
});
