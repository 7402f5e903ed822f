import { editorNames } from "@caret/protocol";
import { z } from "zod";
import { apiSchema } from "./api-schema.ts";
import { fleetSchemas } from "./fleet-schema.ts";
import { key } from "./key-names.ts";
import { mcpSchema } from "./mcp-schema.ts";
import { notifySchema } from "./notify-schema.ts";
import { byteCount, durationMs } from "./number-schemas.ts";
import { argumentList, modelEntrySchema, profileSchema, variableMap } from "./program-schemas.ts";
import { sandboxSchema } from "./sandbox-schema.ts";
import { telemetrySchema } from "./telemetry-schema.ts";
import { toolsSchema } from "./tools-schema.ts";

const MINUTE_MS = 60_000;
const MEBIBYTE = 1024 * 1024;

/** Defaults that depend on the machine. */
export interface MachineDefaults {
  readonly dataDir: string;
  readonly maxArgBytes: number;
}

/** The values shown for them in the documentation and the JSON Schema. */
export const documentedDefaults: MachineDefaults = { dataDir: "~/.local/share/caret", maxArgBytes: 100_000 };

function workSchemas() {
  return {
    lane: key(
      z.enum(["auto", "cli", "acp", "api", "sim"]).default("auto"),
      "How turns reach an agent. `auto` picks `cli`, `acp` or `sim`, turn by turn, and says which; `acp` is Cursor's CLI as a " +
        "server, whose agent asks; `sim` is the built-in simulator; `api`, which is unofficial and never picked, speaks " +
        "Cursor's own protocol without its CLI.",
    ),
    model: key(
      z.string().min(1).default("auto"),
      "The model of a turn that names none. A project file may only choose one that is known to cost no more.",
      { project: "cheaper" },
    ),
    mode: key(
      z.enum(["agent", "plan", "ask"]).default("agent"),
      "What the agent may do: `agent` works, `plan` and `ask` only read. A project file may only choose " +
        "to do less.",
      { project: ["agent", "ask", "plan"] },
    ),
    workspaces: z
      .strictObject({
        allow: key(
          z.array(z.string().min(1)).default([]),
          "Directories turns may work in, with all below them. Empty: the one given by `--workspace`, else the current " +
            "one. `caret workspaces allow` adds to both.",
          { path: "file" },
        ),
        default: key(z.string().min(1).optional(), "The workspace of a turn that names none.", { path: "file" }),
      })
      .prefault({}),
  };
}

function cliSchema(machine: MachineDefaults) {
  return z
    .strictObject({
      command: key(
        z.string().min(1).optional(),
        "The agent program. Unset: `cursor-agent` is looked for, then an `agent` whose `--version` is Cursor's.",
        { path: "command" },
      ),
      args: key(argumentList().default([]), "Extra arguments for the agent program, before Caret's own."),
      configDir: key(
        z.string().min(1).optional(),
        "The agent's configuration directory (its `CURSOR_CONFIG_DIR`). Unset: the agent's own choice.",
        { path: "file" },
      ),
      force: key(
        z.boolean().default(false),
        "Let the agent run every tool that is not denied (`--force`). This switches Cursor's sandbox off, too.",
      ),
      approveMcps: key(
        z.boolean().default(false),
        "Approve every MCP server the agent finds (`--approve-mcps`), those of the repository too.",
      ),
      trust: key(
        z.boolean().default(true),
        "Trust the workspace without asking (`--trust`); only allowed ones get it.",
      ),
      sandbox: key(
        z.enum(["enabled", "disabled"]).optional(),
        "The agent's own shell sandbox (`--sandbox`). Unset: the agent's own choice. A forced turn has none, whatever this says.",
      ),
      promptAsArg: key(
        z.boolean().default(false),
        "Give the prompt as the last argument instead of on standard input.",
      ),
      maxArgBytes: key(
        byteCount().default(machine.maxArgBytes),
        "The longest prompt given as an argument; a longer one goes to standard input. 4000 on Windows.",
      ),
      env: key(variableMap().default({}), "Extra environment variables for the agent.", { secret: "all" }),
    })
    .prefault({});
}

function boundsSchemas() {
  return {
    clocks: z
      .strictObject({
        firstEventMs: key(durationMs().default(MINUTE_MS), "How long a turn may take to say its first word.", {
          project: "lower",
        }),
        idleMs: key(
          durationMs().default(15 * MINUTE_MS),
          "How long a turn may be silent between events. Long, because agents honestly think for over twelve minutes.",
          { project: "lower" },
        ),
        toolMs: key(
          durationMs().default(30 * MINUTE_MS),
          "How long a tool may work without a word, and how long calls wait for the client that runs them.",
          {
            project: "lower",
          },
        ),
        goneMs: key(
          durationMs().default(MINUTE_MS / 2),
          "How long calls wait for a client on this machine whose process ended with its answer: a script may ask by one process after the other. One that lived on to run the calls is waited for until its process ends, any other by `clocks.toolMs`.",
        ),
        turnMs: key(durationMs().default(120 * MINUTE_MS), "How long a turn may last in all."),
        graceMs: key(
          durationMs().default(2000),
          "How long an agent may take to leave when asked, before it is killed.",
        ),
        drainMs: key(durationMs().default(1000), "How long output is still read after the agent has exited."),
      })
      .prefault({}),
    loops: loopsSchema(),
    limits: z
      .strictObject({
        lineBytes: key(byteCount().default(64 * MEBIBYTE), "The longest line accepted from an agent."),
        rawBytes: key(byteCount().default(64 * 1024), "How much of each upstream line is kept beside its event."),
      })
      .prefault({}),
    budgets: z
      .strictObject({
        turn: budgetSchema("one turn"),
        session: budgetSchema("one session"),
        day: budgetSchema("a day"),
        user: quotaSchema("user"),
        team: quotaSchema("team"),
      })
      .prefault({}),
    retention: z
      .strictObject({
        days: key(
          z.number().int().min(1).optional(),
          "Sessions untouched for longer are deleted, by the gateway as it runs and by `caret sessions prune`. Unset: never.",
        ),
        sessions: key(
          z.number().int().min(1).optional(),
          "How many sessions are kept; the gateway and `caret sessions prune` delete the others, the oldest ones. Unset: all.",
        ),
      })
      .prefault({}),
  };
}

const WHAT_FOLLOWS =
  "before the agent is warned; the next such call is refused, the one after that ends the turn. 0: never.";

function loopsSchema() {
  const count = (least: number): z.ZodDefault<z.ZodNumber> => z.number().int().min(0).max(100_000).default(least);
  return z
    .strictObject({
      failures: key(count(3), `How often in a row a call may fail with the same arguments and result ${WHAT_FOLLOWS}`),
      repeats: key(
        count(6),
        `How often in a row a call may succeed with the same arguments and result ${WHAT_FOLLOWS}`,
      ),
      waits: key(count(30), "As `loops.repeats`, for calls that take at least `loops.waitingMs`."),
      waitingMs: key(durationMs().default(5_000), "From when on a call is taken for one that waits for something."),
      rounds: key(
        count(30),
        "As `loops.repeats`, for the same two to four calls in the same order. Where all of them fail, twice `loops.failures`.",
      ),
      schemaRefusals: key(
        count(3),
        "As `loops.failures`, for calls that are refused with the same complaint, by a tool's schema or since there is no " +
          "such tool, whatever their arguments. Five times as many in a row, whatever the complaints, are the same.",
      ),
    })
    .prefault({});
}

function budgetSchema(scope: string) {
  return z.strictObject(budgetKeys(scope)).prefault({});
}

function budgetKeys(scope: string) {
  return {
    tokens: key(z.number().int().min(0).optional(), `The most tokens ${scope} may use. Unset: no limit.`, {
      live: true,
    }),
    usd: key(z.number().min(0).optional(), `The most US dollars ${scope} may cost. Unset: no limit.`, {
      live: true,
    }),
  };
}

/** Quotas that apply to each user, or each team, with tokens. */
function quotaSchema(whose: "user" | "team") {
  const { tokens, usd } = budgetKeys(`each ${whose} in a day`);
  const turns = `How many turns each ${whose} may begin in a day, those whose usage is unknown too. Unset: no limit.`;
  const atOnce = `How many turns of each ${whose} run at once; more are refused as \`overloaded\`. Unset: no limit.`;
  return z
    .strictObject({
      tokens,
      usd,
      turns: key(z.number().int().min(0).optional(), turns, { live: true }),
      atOnce: key(z.number().int().min(1).optional(), atOnce, { live: true }),
    })
    .prefault({});
}

function processSchemas() {
  return {
    warm: z
      .strictObject({
        enabled: key(
          z.boolean().default(true),
          "Keep agents started and waiting for a prompt, and those of the `acp` lane after it.",
        ),
        max: key(z.number().int().min(0).max(64).default(2), "How many agents wait at most."),
        idleMs: key(durationMs().default(5 * MINUTE_MS), "How long a waiting agent is kept."),
      })
      .prefault({}),
    spawner: z
      .strictObject({
        enabled: key(z.boolean().default(true), "Start agents from a small process of their own."),
        seats: key(
          z.number().int().min(0).max(64).default(4),
          "How many processes the gateway starts ahead, each to become the agent of one turn; after a burst of " +
            "turns as many as it had, up to 256. 0: none.",
        ),
      })
      .prefault({}),
    containment: key(
      z.enum(["auto", "off", "require"]).default("auto"),
      "Whether all processes of a turn, and those that Caret starts for its tools, are held together: `auto` when the " +
        "machine can, `require` fails if it cannot.",
    ),
    sandbox: sandboxSchema(),
  };
}

function houseSchemas() {
  return {
    agents: z
      .strictObject({
        maxAtWork: key(
          z.number().int().min(1).max(1024).default(8),
          "How many agents of `caret agent` work at once; the others wait, the one that has waited longest is next.",
        ),
        userServers: key(
          z.boolean().default(false),
          "Whether agents that run their own tools (`full`) have your own MCP servers (`~/.cursor/mcp.json`) besides Caret's.",
        ),
      })
      .prefault({}),
    tools: toolsSchema(),
    mcp: mcpSchema(),
    profiles: key(z.record(z.string(), profileSchema()).default({}), "Named ways to log in; `default` needs no entry."),
    models: key(z.record(z.string(), modelEntrySchema()).default({}), "Named models with a program of their own."),
    log: z
      .strictObject({
        level: key(
          z.enum(["silent", "fatal", "error", "warn", "info", "debug", "trace"]).default("warn"),
          "How much is logged.",
        ),
      })
      .prefault({}),
    notify: notifySchema(),
    telemetry: telemetrySchema(),
    page: z
      .strictObject({
        editor: key(
          z.enum([...editorNames, "none"]).default("none"),
          "The editor that paths on the page open in, where the browser is on the gateway's own machine.",
        ),
      })
      .prefault({}),
    server: z
      .strictObject({
        host: key(z.string().min(1).default("127.0.0.1"), "The address the gateway listens on."),
        port: key(
          z.number().int().min(0).max(65_535).default(4141),
          "Its port; 0 picks a free one. Without a setting it is the one that the last gateway had.",
        ),
        hosts: key(
          z.array(z.string().min(1)).default([]),
          "Names besides loopback under which the gateway may be addressed.",
        ),
        origins: key(z.array(z.url()).default([]), "Origins besides its own whose web pages may talk to it."),
        maxTurns: key(
          z.number().int().min(1).default(256),
          "How many turns run at once; more are refused, unless one that waits for its client gives way.",
        ),
        stuckReaderMs: key(
          z.number().int().min(100).default(30_000),
          "After how many milliseconds a client that reads nothing of its stream is disconnected.",
        ),
        activity: key(
          z.enum(["reasoning", "text", "none"]).default("reasoning"),
          "How clients are shown what the agent does with its own tools: as reasoning, as text, or not at all.",
        ),
      })
      .prefault({}),
  };
}

/** Every setting of Caret: name, type, default and meaning, in one place. */
export function createConfigSchema(machine: MachineDefaults) {
  return z.strictObject({
    ...workSchemas(),
    dataDir: key(
      z.string().min(1).default(machine.dataDir),
      "Where sessions and their events are kept. `$XDG_DATA_HOME/caret` when that variable is set.",
      { path: "file" },
    ),
    cli: cliSchema(machine),
    api: apiSchema(),
    ...fleetSchemas(),
    ...boundsSchemas(),
    ...processSchemas(),
    ...houseSchemas(),
  });
}

export type ConfigSchema = ReturnType<typeof createConfigSchema>;
export type Config = Readonly<z.infer<ConfigSchema>>;
