import { CaretError } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { createConfigSchema, documentedDefaults } from "./config-schema.ts";
import { keyTraits, listKeys } from "./key-names.ts";
import { type LoadConfigOptions, loadConfig, validateConfig } from "./load-config.ts";

const userFile = "/home/ada/.config/caret/caret.json";
const projectFile = "/work/app/caret.json";

interface World {
  readonly files?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly platform?: NodeJS.Platform;
}

/** Ada's machine, standing in /work/app. A file is given as text, or as the value its JSON holds. */
function world({ files = {}, env = {}, flags = {}, platform = "linux" }: World = {}): LoadConfigOptions {
  const readFile = (path: string) => {
    const content = files[path];
    return content === undefined || typeof content === "string" ? content : JSON.stringify(content);
  };
  return { flags, env, cwd: "/work/app", home: "/home/ada", platform, readFile };
}

function problems(setting: World): readonly string[] {
  return validateConfig(world(setting)).map(({ location, message }) => `${location}: ${message}`);
}

describe("loadConfig", () => {
  it("needs no file at all", () => {
    expect(loadConfig(world()).config).toEqual({
      lane: "auto",
      model: "auto",
      mode: "agent",
      workspaces: { allow: [] },
      dataDir: "/home/ada/.local/share/caret",
      api: { httpVersion: "auto", readLogins: [] },
      cli: {
        args: [],
        force: false,
        approveMcps: false,
        trust: true,
        promptAsArg: false,
        maxArgBytes: 100_000,
        env: {},
      },
      clocks: {
        firstEventMs: 60_000,
        idleMs: 900_000,
        toolMs: 1_800_000,
        goneMs: 30_000,
        turnMs: 7_200_000,
        graceMs: 2000,
        drainMs: 1000,
      },
      loops: { failures: 3, repeats: 6, waits: 30, waitingMs: 5_000, rounds: 30, schemaRefusals: 3 },
      limits: { lineBytes: 67_108_864, rawBytes: 65_536 },
      budgets: { turn: {}, session: {}, day: {}, user: {}, team: {} },
      retention: {},
      warm: { enabled: true, max: 2, idleMs: 300_000 },
      spawner: { enabled: true, seats: 4 },
      containment: "auto",
      sandbox: {
        mode: "off",
        network: "proxy",
        hosts: ["cursor.com", "*.cursor.com", "cursor.sh", "*.cursor.sh"],
        git: "guarded",
        readable: [],
        processes: 2_048,
        fileBytes: 8_589_934_592,
        tmpBytes: 1_073_741_824,
      },
      agents: { maxAtWork: 8, userServers: false },
      profiles: {},
      models: {},
      log: { level: "warn" },
      notify: { webhook: {} },
      telemetry: { otlp: { headers: {}, sampleRatio: 1 } },
      page: { editor: "none" },
      fleet: { capacity: 16, metricsHost: "127.0.0.1" },
      server: {
        host: "127.0.0.1",
        port: 4141,
        hosts: [],
        origins: [],
        maxTurns: 256,
        stuckReaderMs: 30_000,
        activity: "reasoning",
      },
      tools: { attended: "gateway", policy: "auto-edits", rules: [], webSearch: {} },
      mcp: { servers: {} },
    });
  });

  it("keeps data where XDG says, unless that is relative", () => {
    const dataDir = (value: string) => loadConfig(world({ env: { XDG_DATA_HOME: value } })).config.dataDir;
    expect([dataDir("/data"), dataDir("data")]).toEqual(["/data/caret", "/home/ada/.local/share/caret"]);
  });

  it("gives shorter prompts as arguments on Windows", () => {
    const options = { ...world({ platform: "win32" }), cwd: "C:\\app", home: "C:\\Users\\ada" };
    expect(loadConfig(options).config.cli.maxArgBytes).toBe(4000);
  });

  it("prefers a flag to a variable to a project's file to the user's file to the default, and says which won", () => {
    const { config, sources, files } = loadConfig(
      world({
        files: {
          [userFile]: { model: "user", lane: "sim", clocks: { idleMs: 9, toolMs: 2, turnMs: 3 } },
          [projectFile]: { model: "project", clocks: { idleMs: 4 } },
        },
        env: { CARET_MODEL: "variable", CARET_LANE: "auto" },
        flags: { model: "flag" },
      }),
    );
    expect([config.model, config.lane, config.clocks]).toEqual([
      "flag",
      "auto",
      { firstEventMs: 60_000, idleMs: 4, toolMs: 2, goneMs: 30_000, turnMs: 3, graceMs: 2000, drainMs: 1000 },
    ]);
    expect([sources["model"], sources["lane"], sources["clocks.idleMs"], sources["clocks.toolMs"]]).toEqual([
      { kind: "flag" },
      { kind: "variable" },
      { kind: "project", path: projectFile },
      { kind: "file", path: userFile },
    ]);
    expect(sources["server.port"]).toEqual({ kind: "default" });
    expect(files).toEqual([projectFile, userFile]);
  });

  it("says of every key where its value came from", () => {
    const keys = listKeys(createConfigSchema(documentedDefaults)).map(({ key }) => key);
    expect(Object.keys(loadConfig(world()).sources)).toEqual(keys);
  });

  it("reads only the file that was named", () => {
    const { config, files } = loadConfig(
      world({
        files: { [userFile]: { model: "user", lane: "sim" }, "/work/app/mine.json": { model: "mine" } },
        flags: { config: "mine.json" },
      }),
    );
    expect([config.model, config.lane, files]).toEqual(["mine", "auto", ["/work/app/mine.json"]]);
  });

  it("reads only the first of the user's files that exists", () => {
    const files = { "/xdg/caret/caret.json": { model: "xdg" }, [userFile]: { lane: "sim" } };
    const { config, files: read } = loadConfig(world({ files, env: { XDG_CONFIG_HOME: "/xdg" } }));
    expect([config.model, config.lane, read]).toEqual(["xdg", "auto", ["/xdg/caret/caret.json"]]);
  });

  it("trusts a project's file as much as any when the user names it", () => {
    const files = { [projectFile]: { cli: { command: "./agent" } } };
    expect(loadConfig(world({ files, flags: { config: "caret.json" } })).config.cli.command).toBe("/work/app/agent");
  });

  it("resolves paths from the file they are written in", () => {
    const profiles = { work: { apiKeyFile: "keys/work", configDir: "~/cursor-work" } };
    const files = { [userFile]: { dataDir: "data", workspaces: { allow: ["/srv", "~", "code"] }, profiles } };
    const { config } = loadConfig(world({ files, env: { CARET_CLI_CONFIG_DIR: "cursor" } }));
    expect([config.dataDir, config.workspaces.allow, config.profiles, config.cli.configDir]).toEqual([
      "/home/ada/.config/caret/data",
      ["/srv", "/home/ada", "/home/ada/.config/caret/code"],
      { work: { apiKeyFile: "/home/ada/.config/caret/keys/work", configDir: "/home/ada/cursor-work" } },
      "/work/app/cursor",
    ]);
  });

  it("leaves a bare command to be found on PATH", () => {
    expect(loadConfig(world({ env: { CARET_CLI_COMMAND: "agent" } })).config.cli.command).toBe("agent");
  });

  it("accepts an openclaw.json model entry as it is", () => {
    const entry = {
      provider: "cursor-agent-cli",
      command: "agent",
      args: ["-p", "--output-format", "stream-json"],
      promptAsArg: true,
      timeoutMs: 600_000,
      authProfiles: ["default"],
      fallbackModels: ["spare"],
      enabled: true,
    };
    expect(loadConfig(world({ files: { [userFile]: { models: { quick: entry } } } })).config.models).toEqual({
      quick: entry,
    });
  });

  it("clamps a clock to what a timer can wait", () => {
    expect(loadConfig(world({ env: { CARET_CLOCKS_TURN_MS: "99999999999" } })).config.clocks.turnMs).toBe(
      2_147_483_647,
    );
  });

  it("counts an empty variable as unset", () => {
    expect(loadConfig(world({ env: { CARET_MODEL: "" } })).config.model).toBe("auto");
  });

  it("ignores a byte order mark and the address of the schema", () => {
    const text = `\uFEFF{"$schema": "https://example.test/caret.json", "model": "m"}`;
    expect(loadConfig(world({ files: { [userFile]: text } })).config.model).toBe("m");
  });

  it("refuses to start without a home directory, where a repository's file would pass for the user's", () => {
    expect(() => loadConfig({ ...world(), home: "" })).toThrow(
      expect.objectContaining({ code: "invalid-config", fix: "Set HOME to an absolute path." }),
    );
  });

  it("throws one error that lists everything wrong", () => {
    const load = () => loadConfig(world({ env: { CARET_LANE: "bus", CARET_SERVER_PORT: "eighty" } }));
    expect(load).toThrow(CaretError);
    expect(load).toThrow(
      'Invalid configuration\nCARET_LANE: expected one of "auto"|"cli"|"acp"|"api"|"sim"\nCARET_SERVER_PORT: expected a number',
    );
  });
});

describe("a project's caret.json", () => {
  const refused =
    "a project's file may not choose this, because it comes with the repository. " +
    "Put it in your own caret.json, or name the file with --config if you trust it";

  it("may narrow a few things only", () => {
    const values: Record<string, unknown> = {
      model: "gpt-5-mini",
      mode: "plan",
      clocks: { firstEventMs: 1, idleMs: 1, toolMs: 1 },
    };
    expect(problems({ files: { [projectFile]: values } })).toEqual([]);
  });

  it("may repeat what the user has", () => {
    const values = { model: "gpt-5.5", mode: "ask", clocks: { idleMs: 5 } };
    expect(problems({ files: { [userFile]: values, [projectFile]: values } })).toEqual([]);
  });

  const narrow = "a project's file may only narrow this, because it comes with the repository: ";
  const entry = { args: ["-p", "--output-format", "stream-json"], promptAsArg: true };
  it.each<[what: string, own: object, chosen: object, key: string, why: string]>([
    [
      "an entry of the user's models",
      { models: { quick: entry } },
      { model: "quick" },
      "model",
      "it may not be an entry of your `models`",
    ],
    [
      "an entry that has the name of a cheap model",
      { models: { "gpt-5-mini": entry } },
      { model: "gpt-5-mini" },
      "model",
      "it may not be an entry of your `models`",
    ],
    [
      "a dearer model",
      {},
      { model: "gpt-5.5" },
      "model",
      'it may only be "auto", or a model that is known to cost no more',
    ],
    [
      "a fast variant",
      { model: "gpt-5.4" },
      { model: "gpt-5.4-fast" },
      "model",
      'it may only be "gpt-5.4", or a model that is known to cost no more',
    ],
    [
      "a model whose price nobody knows",
      {},
      { model: "brand-new" },
      "model",
      'it may only be "auto", or a model that is known to cost no more',
    ],
    [
      "a model instead of one whose price nobody knows",
      { model: "mine" },
      { model: "gpt-5-mini" },
      "model",
      'it may only be "mine", or a model that is known to cost no more',
    ],
    [
      "to write where the user only reads",
      { mode: "ask" },
      { mode: "agent" },
      "mode",
      'it may only be "ask" or "plan" here',
    ],
    ["to ask where the user only plans", { mode: "plan" }, { mode: "ask" }, "mode", 'it may only be "plan" here'],
    ["a longer clock", {}, { clocks: { idleMs: 900_001 } }, "clocks.idleMs", "it may only be less than 900000 here"],
    [
      "a longer clock than the user's own",
      { clocks: { toolMs: 5 } },
      { clocks: { toolMs: 6 } },
      "clocks.toolMs",
      "it may only be less than 5 here",
    ],
  ])("may not choose %s", (_what, own, chosen, key, why) => {
    expect(problems({ files: { [userFile]: own, [projectFile]: chosen } })).toEqual([
      `${projectFile}: ${key}: ${narrow}${why}`,
    ]);
  });

  it("is not blamed for what a flag or a variable decides", () => {
    const files = { [projectFile]: { model: "gpt-5.5", clocks: { idleMs: 900_001 } } };
    expect(problems({ files, flags: { model: "auto" }, env: { CARET_CLOCKS_IDLE_MS: "7" } })).toEqual([]);
  });

  it.each([
    ["lane", { lane: "sim" }],
    ["lane", { lane: "cli" }],
    ["cli.command", { cli: { command: "./evil" } }],
    ["cli.approveMcps", { cli: { approveMcps: true } }],
    ["mcp.servers", { mcp: { servers: { x: { command: "./evil" } } } }],
    ["tools.policy", { tools: { policy: "full" } }],
    ["tools.rules", { tools: { rules: [{ effect: "allow" }] } }],
    ["cli.args", { cli: { args: ["--force"] } }],
    ["cli.env", { cli: { env: { NODE_OPTIONS: "--require ./evil.js" } } }],
    ["cli.force", { cli: { force: true } }],
    ["dataDir", { dataDir: "." }],
    ["workspaces.allow", { workspaces: { allow: ["/"] } }],
    ["profiles", { profiles: { x: { apiKeyCommand: ["./evil"] } } }],
    ["models", { models: { x: { command: "./evil" } } }],
    ["budgets.day.usd", { budgets: { day: { usd: 1e6 } } }],
    ["containment", { containment: "off" }],
    ["server.host", { server: { host: "0.0.0.0" } }],
  ])("may not choose %s", (key, content) => {
    expect(problems({ files: { [projectFile]: content } })).toEqual([`${projectFile}: ${key}: ${refused}`]);
  });

  it("has a short list of keys to choose from", () => {
    const keys = listKeys(createConfigSchema(documentedDefaults));
    expect(keys.filter(({ schema }) => keyTraits.get(schema)?.project !== undefined).map(({ key }) => key)).toEqual([
      "model",
      "mode",
      "clocks.firstEventMs",
      "clocks.idleMs",
      "clocks.toolMs",
      "sandbox.mode",
    ]);
  });
});

describe("validateConfig", () => {
  it.each<[string, World, readonly string[]]>([
    [
      "a wrong type in a file",
      { files: { [userFile]: { clocks: { idleMs: "soon" } } } },
      [`${userFile}: clocks.idleMs: expected number, received string`],
    ],
    [
      "a clock that is off",
      { env: { CARET_CLOCKS_IDLE_MS: "0" } },
      ["CARET_CLOCKS_IDLE_MS: Too small: expected number to be >=1"],
    ],
    [
      "a clock that is not a number",
      { env: { CARET_CLOCKS_IDLE_MS: "NaN" } },
      ["CARET_CLOCKS_IDLE_MS: expected a number"],
    ],
    [
      "a flag's value that is not a number",
      { flags: { "clocks.idleMs": Number.NaN } },
      ["--clocks-idle-ms: expected number, received NaN"],
    ],
    [
      "a misspelt key",
      { files: { [userFile]: { clock: {} } } },
      [`${userFile}: clock: unknown key; did you mean clocks?`],
    ],
    [
      "a key in the wrong group",
      { files: { [userFile]: { idleMs: 5 } } },
      [`${userFile}: idleMs: unknown key; did you mean clocks.idleMs?`],
    ],
    [
      "a key written with dots",
      { files: { [userFile]: { "clocks.idleMs": 5 } } },
      [`${userFile}: clocks.idleMs: unknown key; write its parts as nested objects`],
    ],
    [
      "a group that is not an object",
      { files: { [userFile]: { clocks: 5 } } },
      [`${userFile}: clocks: expected an object`],
    ],
    [
      "a name every object inherits",
      { files: { [userFile]: '{"__proto__": {}}' } },
      [`${userFile}: __proto__: unknown key`],
    ],
    [
      "a misspelt key inside a profile",
      { files: { [userFile]: { profiles: { work: { apiKeyFil: "k", configDir: "/c" } } } } },
      [`${userFile}: profiles.work.apiKeyFil: unknown key; did you mean apiKeyFile?`],
    ],
    [
      "a profile that says nothing",
      { env: { CARET_PROFILES: '{"work":{}}' } },
      ["CARET_PROFILES: work: needs one of apiKeyFile, apiKeyCommand, configDir"],
    ],
    [
      "a profile with two keys",
      { env: { CARET_PROFILES: '{"work":{"apiKeyFile":"/k","apiKeyCommand":["pass"]}}' } },
      ["CARET_PROFILES: work: has both apiKeyFile and apiKeyCommand: keep one"],
    ],
    [
      "a model that names a profile nobody wrote",
      {
        files: {
          [userFile]: {
            profiles: { work: { configDir: "/c" } },
            models: { quick: { authProfiles: ["default", "wrok"] } },
          },
        },
      },
      [`${userFile}: models.quick.authProfiles.1: there is no profile named wrok; did you mean work?`],
    ],
    [
      "a misspelt flag",
      { flags: { "clocks.idelMs": "5" } },
      ["--clocks-idel-ms: unknown flag; did you mean --clocks-idle-ms?"],
    ],
    [
      "a key among arguments",
      { flags: { "cli.args": ["--api-key", "k"] } },
      ["--cli-args: must not carry a key: arguments are readable by every process. Use `profiles` instead"],
    ],
    [
      "a variable for the agent that has no proper name",
      { env: { CARET_CLI_ENV: '{"A=B":"1"}' } },
      ["CARET_CLI_ENV: A=B: is not the name of an environment variable"],
    ],
    ["a named file that is not there", { flags: { config: "/no.json" } }, ["/no.json: there is no such file"]],
    [
      "a file that is not JSON",
      { files: { [userFile]: '{\n  "model": "m",\n}' } },
      [`${userFile}: expected JSON; it goes wrong at line 3 column 1`],
    ],
    [
      "a file that is not JSON, without quoting it",
      { files: { [userFile]: '{"model": sk-secret}' } },
      [`${userFile}: expected JSON`],
    ],
    ["a file that is a list", { files: { [userFile]: [] } }, [`${userFile}: expected an object`]],
  ])("names %s", (_, setting, expected) => {
    expect(problems(setting)).toEqual(expected);
  });

  it("leaves the variables of the simulator, the bridge and clients alone", () => {
    expect(
      problems({
        env: {
          CARET_SIM_SEED: "1",
          CARET_BRIDGE_SOCKET: "/s",
          CARET_TOKEN: "t",
          CARET_URL: "http://127.0.0.1:4141",
          CARET_PROCESS_ID: "p",
          CARETAKER: "x",
        },
      }),
    ).toEqual([]);
  });

  it("names a file that cannot be read", () => {
    const readFile = () => {
      throw new Error("it is not a file");
    };
    expect(validateConfig({ ...world({ flags: { config: "/dev/zero" } }), readFile })).toEqual([
      { location: "/dev/zero", message: "cannot be read: it is not a file" },
    ]);
  });

  it.each([
    ["CARET_PROFILES", "sk-secret"],
    ["CARET_SERVER_PORT", "sk-secret"],
    ["CARET_CLI_FORCE", "sk-secret"],
    ["CARET_LANE", "sk-secret"],
    ["CARET_CLI_ENV", '{"KEY": sk-secret}'],
  ])("never repeats what %s holds", (variable, value) => {
    const said = problems({ env: { [variable]: value } }).join("\n");
    expect({ namesVariable: said.includes(variable), tellsSecret: said.includes("sk-secret") }).toEqual({
      namesVariable: true,
      tellsSecret: false,
    });
  });
});
