import { CaretError, type FleetView, fleetWaitWords } from "@caret/protocol";
import type { Command } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { ageText } from "../../terminal/amount-text.ts";
import { hostLook } from "../../terminal/look.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { tableLines } from "../../terminal/table-lines.ts";

interface FleetOptions {
  readonly json?: boolean;
}

const memberHead = [
  { title: "machine" },
  { title: "role" },
  { title: "state" },
  { title: "lanes" },
  { title: "load" },
  { title: "version" },
];
const waitHead = [{ title: "waits since" }, { title: "session" }, { title: "machine" }, { title: "because" }];

export function addFleetCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("fleet")
    .description("the machines of the fleet, what they do, and what waits for them")
    .option("--json", "print JSON");
  addConfigFlags(command).action(async (options: FleetOptions) => done(await show(host, options)));
}

async function show(host: Host, options: FleetOptions): Promise<ExitCode> {
  const { config } = loadHostConfig(host, { ...options });
  if (config.store === undefined)
    throw new CaretError("unsupported", "Without `store` there is no fleet", {
      fix: "Set `CARET_STORE` to the address of the fleet's database.",
    });
  const { openDatabase, readDatabaseAddress, readFleet } = await import("@caret/fleet");
  const database = openDatabase(readDatabaseAddress(config.store), { name: "caret command" });
  try {
    const view = await readFleet(database);
    return options.json === true ? await printJson(host, view) : await printLines(host, fleetLines(view, host));
  } finally {
    await database.close();
  }
}

function fleetLines({ members, queuedTurns, runningTurns, leases, waiting }: FleetView, host: Host): readonly string[] {
  const look = hostLook(host);
  const rows = members.map(({ machine, role, state, lanes, capacity, atWork, version }) => [
    machine,
    role,
    state,
    lanes.join(" "),
    role === "worker" ? `${atWork}/${capacity}` : "",
    version,
  ]);
  const waits = waiting.map(({ since, sessionId = "", machine = "any", reason }) => [
    ageText(since, Date.now()),
    sessionId,
    machine,
    fleetWaitWords[reason],
  ]);
  return [
    ...(rows.length === 0
      ? ["No gateway or worker was there within the last hour."]
      : tableLines(memberHead, rows, look)),
    "",
    `${runningTurns} turns run, ${queuedTurns} wait; workers hold ${leases} sessions and conversations.`,
    ...(waits.length === 0 ? [] : ["", ...tableLines(waitHead, waits, look)]),
  ];
}
