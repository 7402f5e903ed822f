import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openSqliteEventStore } from "@caret/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addInstallCommand } from "../commands/clients/install.ts";
import { addDoctorCommand } from "../commands/machine/doctor.ts";
import { tryCommand } from "../commands/testing/try-command.ts";
import { writeLockFile } from "../gateway/gateway-lock.ts";
import { type ReceiptFile, writeReceipt } from "../install/receipt.ts";
import { checkNode } from "./doctor-checks.ts";
import { checkDisk } from "./file-checks.ts";
import { type Finding, toFindingView } from "./finding.ts";

type Shown = ReturnType<typeof toFindingView>;

/** A machine with faults, and what the doctor must say of each: the check, and the command or words that fix it. */
interface Machine {
  readonly name: string;
  readonly plant: (at: Place) => void | Promise<void>;
  readonly env?: (home: string) => Readonly<Record<string, string>>;
  readonly faults: readonly (readonly [fault: string, check: string, fix: RegExp, detail?: RegExp])[];
}

class Place {
  readonly home: string;
  readonly data: string;

  constructor(home: string) {
    this.home = home;
    this.data = join(home, "data");
  }

  write(path: string, content: unknown, mode = 0o600): void {
    const file = join(this.home, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, undefined, 2));
    chmodSync(file, mode);
  }

  edit(path: string, change: (text: string) => string): void {
    const file = join(this.home, path);
    const before = readFileSync(file, "utf8");
    const after = change(before);
    expect(after).not.toBe(before);
    writeFileSync(file, after);
  }

  /** The state `caret install` would have left. */
  receipt(client: string, file: Pick<ReceiptFile, "path" | "format"> & Partial<ReceiptFile>): void {
    const files = [{ isOwn: true, sha256: "0".repeat(64), backup: null, mode: null, settings: [], ...file }];
    const how = { url: "http://127.0.0.1:6", door: "openai", token: `install-${client}`, isDefault: false } as const;
    writeReceipt(this.data, {
      version: 1,
      client,
      name: client,
      installedAt: 1,
      caret: "0.1.0",
      ...how,
      files,
      directories: [],
    });
  }

  agent(script: string): void {
    this.write("bin/agent", `#!/bin/sh\n${script}\n`, 0o700);
  }
}

const openCode = {
  model: "caret/dropped",
  provider: {
    caret: {
      options: { baseURL: "http://127.0.0.1:9/v1" },
      models: {
        "gone-1": {},
        family: {
          options: { cursorModel: "auto" },
          variants: { high: { cursorModel: "gone-2" }, low: { cursorModel: "" } },
        },
      },
    },
  },
};

const deadGateway = {
  url: "http://127.0.0.1:1",
  pid: 2 ** 22,
  startTime: "1",
  version: "0.1.0",
  tokenFile: null,
  socket: null,
  settings: {},
};

/** Later changes to clients after `caret install`: files are edited, copied and cleaned up, Caret itself moves. */
async function spoilInstalledClients(at: Place): Promise<void> {
  const env = { CARET_DATA_DIR: at.data, CARET_LANE: "sim" };
  for (const client of ["codex", "zed", "opencode", "openai", "continue"])
    await tryCommand(addInstallCommand, ["install", client, "--no-test"], { cwd: at.home, env, stdin: "" });
  at.edit(".codex/caret.config.toml", (text) => text.replace(":4141", ":4999"));
  at.edit(".config/zed/settings.json", (text) => text.replace("caret.js", "caret-0.0.9.js"));
  rmSync(join(at.data, "client-tokens/install-opencode"));
  rmSync(join(at.data, "client-tokens/install-openai"));
  rmSync(join(at.data, "client-tokens/install-continue")); // no fault: its token is in its own file
  chmodSync(join(at.home, ".continue/config.yaml"), 0o644);
  at.write("data/workspaces.json", { allow: [join(at.home, "no-such-project")] });
}

const machines: readonly Machine[] = [
  {
    name: "with files that others can read, a dead gateway and a damaged list",
    async plant(at) {
      await addDriftingSession(at);
      at.write("data/tokens.json", { tokens: [] }, 0o644);
      at.write("data/models/sim.json", "{ half");
      writeLockFile(at.data, deadGateway);
      at.write(".config/opencode/opencode.json", openCode);
      at.write(".config/zed/settings.json", "{ broken");
      at.write(".pi/agent/models.json", { providers: { caret: { baseUrl: "http://127.0.0.1:8/v1" } } });
      at.receipt("codex", { path: join(at.home, "no-such-file"), format: "toml" });
      at.write("config.yaml", "models: []\n");
      at.receipt("continue", {
        path: join(at.home, "config.yaml"),
        format: "yaml",
        settings: [{ path: ["name"], value: "Caret", undo: { former: null, depth: 0, blank: null } }],
      });
      chmodSync(at.data, 0o755);
    },
    env: (home) => ({
      CURSOR_API_KEY: " ",
      CARET_PROFILES: JSON.stringify({ work: { apiKeyFile: join(home, "no-such-key") } }),
      CARET_TOOLS_RULES: JSON.stringify([{ effect: "deny", command: "rm" }]),
      CARET_CONTAINMENT: "off",
      CARET_SANDBOX_MODE: "on",
    }),
    faults: [
      ["a data directory that others may open", "data directory", /^chmod 700 /],
      ["tokens that others may open", "private files", /^chmod 600 .*tokens\.json$/],
      ["rules that bind no tool", "rules", /tools\.owner/],
      ["no agent CLI", "agent CLI", /^Install Cursor's agent CLI/],
      ["an API key that is set but empty", "credentials", /^unset CURSOR_API_KEY$/],
      ["a profile whose key file is missing", "credentials", /^Put the API key into .*no-such-key/],
      ["a damaged list of models", "kept models", /^caret models --refresh$/],
      ["turns that are only simulated", "lane", /^Install Cursor's agent CLI/],
      ["containment that is off", "containment", /^Set `containment` to auto/],
      ["a sandbox that cannot be had", "sandbox", /bubblewrap/],
      ["a gateway that died", "gateway", /^rm .*gateway\.json$/],
      ["OpenCode at another address", "opencode address", /^caret install opencode$/],
      ["an OpenCode variant without a model", "opencode variants", /^caret sync-models --client opencode --variants$/],
      ["an OpenCode default that is not listed", "opencode default", /^caret sync-models --client opencode$/],
      ["Zed's settings that do not parse", "zed settings", /^Correct the file/],
      ["a client whose file is gone", "codex settings", /^caret install codex$/],
      ["a client that was installed for another address", "codex address", /^caret install codex$/],
      ["a client whose token is gone", "codex token", /^caret install codex$/],
      ["a client whose file does not name Caret any more", "continue provider", /^caret install continue$/],
      ["Pi at another address", "pi address", /^caret install pi$/],
      [
        "an agent that says what Caret does not know",
        "drift",
        /^Update Caret/,
        /^version 2026\.11\.01 of the agent sent what Caret does not know: 1 × hologram, for instance \{"type":"hologram","depth":3\}$/,
      ],
    ],
  },
  {
    name: "with a CLI that nobody is logged in to",
    plant(at) {
      at.agent(
        `case "$1" in --version) echo 2026.09.28-abc123;; *) echo 'Error: Authentication required.' >&2; exit 1;; esac`,
      );
      at.write("key", "key_1", 0o644);
      at.write("data/credentials.json", "{ half");
      writeLockFile(at.data, { ...deadGateway, pid: process.pid, startTime: null });
    },
    env: (home) => ({
      CARET_PROFILES: JSON.stringify({ work: { apiKeyFile: join(home, "key") } }),
      CARET_CONTAINMENT: "require",
    }),
    faults: [
      ["no login", "login", /login/],
      ["a key file that others may open", "credentials", /^chmod 600 .*key$/],
      ["a damaged file of logins", "credentials", /login/],
      ["containment that is required and cannot be had", "containment", /^Install bubblewrap/],
      ["a gateway that does not answer", "gateway", /^caret serve$/],
    ],
  },
  {
    name: "with lists that have moved on",
    plant(at) {
      at.agent(
        `case "$1" in --version) echo 2026.09.28-abc123;; models) echo 'auto - Auto'; echo 'gpt-7-high - GPT 7';; esac`,
      );
      at.write(".config/opencode/opencode.jsonc", openCode);
      at.write("data/gateway.json", "{}", 0o600);
      at.write("data/receipts/goose.json", "{ half");
      const origin = "http://127.0.0.1:7";
      const login = { origin, kind: "key", secret: "s", expiresAt: 1, createdAt: 1 };
      at.write("data/credentials.json", { version: 1, login, tokens: {} });
    },
    env: () => ({ CARET_MODEL: "no-such-model", CURSOR_API_ENDPOINT: "http://127.0.0.1:7" }),
    faults: [
      ["a default model that is gone", "default model", /^Set `model` to one that `caret models` lists/],
      ["a login that has expired", "credentials", /^caret login$/],
      ["an OpenCode model that is gone", "opencode models", /^Run `caret sync-models --client opencode --prune`/],
      ["an OpenCode variant whose model is gone", "opencode variants", /^caret sync-models/],
      ["a receipt that cannot be read", "receipts", /take the client's settings back by hand/],
      ["a gateway file that cannot be read", "gateway", /^Stop the gateway, then run `caret serve`\.$/],
    ],
  },
  {
    name: "with a CLI of another vendor, asked for by name",
    plant: (at) => at.agent("echo grok 0.3.1"),
    env: () => ({ CARET_LANE: "cli" }),
    faults: [["an agent of another vendor", "agent CLI", /Cursor/]],
  },
  {
    name: "with a CLI that cannot be started",
    plant: (at) => at.write("bin/agent", "#!/bin/sh\n", 0o600),
    env: (home) => ({ CARET_CLI_COMMAND: join(home, "bin", "agent"), CARET_LANE: "cli" }),
    faults: [["a CLI without the right to run", "agent CLI", /^chmod u\+x .*agent$/]],
  },
  {
    name: "with a log that is none",
    plant(at) {
      at.write("data/caret.db", "not a database, but long enough to have a header of one, which it has not".repeat(20));
    },
    faults: [["a damaged event log", "event log", /./]],
  },
  {
    name: "with a file where the data directory should be",
    plant: (at) => at.write("data", "a file"),
    faults: [["a data directory that is a file", "data directory", /^rm .*data$/]],
  },
  {
    name: "with a price that is none",
    plant: (at) => at.write(".config/caret/prices.json", { source: "x", asOf: "2026-11-17", prices: [{ model: "a" }] }),
    faults: [["a wrong file of prices", "prices", /^Correct the file/]],
  },
  {
    name: "with a setting that is wrong",
    plant: () => undefined,
    env: () => ({ CARET_LANE: "wire" }),
    faults: [["a setting that is wrong", "configuration", /^caret config validate$/]],
  },
  {
    name: "whose installed clients have been spoilt since",
    plant: spoilInstalledClients,
    faults: [
      ["an address that was changed in a client's file", "codex address", /^caret install codex$/, /:4999/],
      ["a program that an editor starts and that is gone", "zed program", /^caret install zed$/, /caret-0\.0\.9\.js/],
      ["a token that OpenCode reads and that is gone", "opencode token", /^caret install opencode$/],
      ["a token that a shell reads and that is gone", "openai token", /^caret install openai$/],
      ["a client's file with its token that others may open", "continue secret", /^chmod 600 .*config\.yaml$/],
      ["a workspace that is gone", "workspaces", /^caret workspaces forget .*no-such-project$/],
    ],
  },
];

/** An agent of a new version, in whose turn something was not understood. */
async function addDriftingSession({ home, data }: Place): Promise<void> {
  const store = openSqliteEventStore({ directory: data, role: "guest", now: () => 1 });
  await store.createSession({ id: "s1", workspace: home, title: "t", lane: "cli", model: "auto", createdAt: 1 });
  const events = [
    { type: "turn-start", turnId: "t", lane: "cli", model: "auto" },
    { type: "session-ready", version: "2026.11.01" },
    { type: "unknown", source: "stream-json", label: "hologram", value: { type: "hologram", depth: 3 } },
    { type: "turn-end", outcome: { kind: "completed" } },
  ] as const;
  await store.append(
    "s1",
    0,
    events.map((event) => ({ turnId: "t", event, at: 1 })),
  );
  await store.close();
}

interface Examined {
  readonly findings: readonly Shown[];
  readonly said: string;
}

async function examine(at: Place, { env }: Machine, ...argv: readonly string[]): Promise<Examined> {
  const base = { CARET_DATA_DIR: at.data, PATH: join(at.home, "bin"), HOME: at.home };
  const { stdout, stderr } = await tryCommand(addDoctorCommand, ["doctor", "--json", ...argv], {
    cwd: at.home,
    env: { ...base, ...env?.(at.home) },
  });
  return { findings: JSON.parse(stdout), said: stderr };
}

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "caret-faults-")));
});
afterAll(() => rmSync(root, { recursive: true }));

function newPlace(): Place {
  return new Place(mkdtempSync(join(root, "home-")));
}

describe.each(machines)("a machine $name", (machine) => {
  let findings: readonly Shown[];
  beforeAll(async () => {
    const place = newPlace();
    await machine.plant(place);
    ({ findings } = await examine(place, machine));
  });

  const faults = machine.faults.map(([fault, check, fix, detail = /./]) => ({ fault, check, fix, detail }));
  it.each(faults)("has $fault: the doctor's $check says why it matters and names the fix", ({ check, fix, detail }) => {
    const found = findings.filter((finding) => finding.check === check && finding.state !== "ok");
    expect(found).toContainEqual(
      expect.objectContaining({
        check,
        detail: expect.stringMatching(detail),
        why: expect.any(String),
        fix: expect.stringMatching(fix),
      }),
    );
  });
});

it.each([
  ["an old Node", checkNode("20.20.2"), "node", "npm install node@24"],
  ["a disk that is nearly full", checkDisk("/data", 1024)[0], "disk", "caret sessions prune --older-than 30d"],
])("finds %s", (_fault, finding, check, fix) => {
  expect(finding && toFindingView(finding as Finding)).toMatchObject({
    check,
    state: "fail",
    why: expect.any(String),
    fix,
  });
});

/** Every file below, with its permissions and content. */
function contents(directory: string): Readonly<Record<string, string>> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      return [file, `${(statSync(file).mode & 0o777).toString(8)} ${readFileSync(file, "utf8")}`];
    }),
  );
}

it("names the program that has the port which a gateway would listen on", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  try {
    const env = () => ({ CARET_LANE: "sim", CARET_SERVER_PORT: String(port) });
    const { findings } = await examine(newPlace(), { name: "", plant: () => undefined, env, faults: [] });
    expect(findings.find(({ check }) => check === "gateway")).toMatchObject({
      state: "warn",
      detail: expect.stringMatching(`none runs, and process ${process.pid} \\(.*\\) listens on 127.0.0.1:${port}`),
      fix: expect.stringContaining("caret serve --port"),
    });
  } finally {
    other.close();
  }
});

it("closes with --fix a client's file with its token to others, and changes nothing else of it", async () => {
  const place = newPlace();
  await spoilInstalledClients(place);
  const file = join(place.home, ".continue/config.yaml");
  const before = readFileSync(file, "utf8");
  const { said } = await examine(place, { name: "", plant: () => undefined, faults: [] }, "--fix");
  expect([statSync(file).mode & 0o777, readFileSync(file, "utf8"), said.includes("continue secret")]).toEqual([
    0o600,
    before,
    true,
  ]);
});

it("mends with --fix what loses nothing, and touches nothing else", async () => {
  const place = newPlace();
  const [machine] = machines;
  if (machine === undefined) throw new Error("There is no machine");
  await machine.plant(place);
  const before = contents(join(place.home, ".config"));
  // No gateway of another test listens there, as one may on the default port.
  const env: Machine["env"] = (home) => ({ ...machine.env?.(home), CARET_SERVER_PORT: "1" });
  const { findings, said } = await examine(place, { ...machine, env }, "--fix");
  const fixed = Array.from(said.matchAll(/^caret: fixed ([^:]+): /gm), ([, check]) => check);
  expect(fixed).toEqual(["data directory", "private files", "kept models", "gateway"]);
  expect(findings.filter((finding) => fixed.includes(finding.check) && finding.state !== "ok")).toEqual([]);
  expect({
    directory: statSync(place.data).mode & 0o777,
    tokens: statSync(join(place.data, "tokens.json")).mode & 0o777,
    list: existsSync(join(place.data, "models", "sim.json")),
    gateway: existsSync(join(place.data, "gateway.json")),
    clients: contents(join(place.home, ".config")),
  }).toEqual({ directory: 0o700, tokens: 0o600, list: false, gateway: false, clients: before });
});

it("mends the rest where one thing cannot be mended, and says what stood in the way", async () => {
  const place = newPlace();
  mkdirSync(join(place.data, "models", "sim.json"), { recursive: true });
  chmodSync(place.data, 0o755);
  place.write("data/client-tokens/install-codex", "caret_x", 0o644);
  const { said } = await examine(place, { name: "", plant: () => undefined, faults: [] }, "--fix");
  expect(said.split("\n").filter((line) => line.includes("fix"))).toEqual([
    `caret: fixed data directory: chmod 700 ${place.data}`,
    `caret: fixed private files: chmod 600 ${place.data}/client-tokens/install-codex`,
    expect.stringMatching(/^caret: could not fix kept models: .*sim\.json/),
  ]);
});
