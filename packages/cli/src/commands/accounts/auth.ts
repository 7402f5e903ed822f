import { type ForeignProgram, foreignPrograms } from "@caret/runtime";
import { type Command, Option } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { controlAccess } from "../../credentials/control-access.ts";
import { type CredentialWorld, credentialWorlds } from "../../credentials/credential-worlds.ts";
import { checkWorld, type WorldCheck } from "../../doctor/check-world.ts";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { hostLook, type Look } from "../../terminal/look.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { withProgress } from "../../terminal/progress.ts";
import { tableLines } from "../../terminal/table-lines.ts";

interface AuthOptions {
  readonly json?: boolean;
  readonly check?: boolean;
  readonly read?: readonly ForeignProgram[];
}

interface ShownWorld {
  readonly world: CredentialWorld;
  readonly check: WorldCheck | undefined;
}

export function addAuthCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("auth")
    .description("every credential on this machine, and which lanes it lets turns take")
    .option("--check", "try each of them by a real call")
    .addOption(new Option("--read <program...>", "read the login of this program of Cursor's").choices(foreignPrograms))
    .option("--json", "print JSON");
  addConfigFlags(command).action(async (options: AuthOptions) => done(await auth(host, options)));
}

/** Exits with 1 if a tested credential does not work. */
async function auth(host: Host, options: AuthOptions): Promise<ExitCode> {
  const { config } = loadHostConfig(host, { ...options });
  const control = controlAccess(host, config);
  const { origin } = control.controlUrl;
  const worlds = credentialWorlds(host, config, { origin, read: options.read ?? [], now: Date.now });
  const shown: ShownWorld[] = [];
  for (const world of worlds) {
    const isTried = options.check === true && world.isFound !== false;
    const tried = () => withProgress(host, `Trying ${world.place}`, () => checkWorld(world, { host, config, control }));
    shown.push({ world, check: isTried ? await tried() : undefined });
  }
  if (options.json === true) await printJson(host, shown.map(toJson));
  else await printLines(host, authLines(shown, host));
  return shown.some(({ check }) => check?.state === "fails") ? exitCodes.failed : exitCodes.completed;
}

/** The published shape; see docs/commands.md. */
function toJson({ world, check }: ShownWorld) {
  const { kind, place, isFound, lanes, account, expiresAt } = world;
  return {
    kind,
    place,
    found: isFound ?? null,
    lanes,
    account: account ?? null,
    expiresAt: expiresAt ?? null,
    check: check === undefined ? null : { ...check, fix: check.fix ?? null },
  };
}

const names: Readonly<Record<CredentialWorld["kind"], string>> = {
  caret: "caret login",
  key: "API key",
  token: "access token",
  cli: "CLI login",
  sdk: "SDK login",
};

const head = [
  { title: "credential" },
  { title: "place", cut: "middle" },
  { title: "state" },
  { title: "lanes" },
  { title: "check", cut: "end" },
] as const;

function authLines(shown: readonly ShownWorld[], host: Host): readonly string[] {
  const look = hostLook(host);
  const rows = shown.map(({ world, check }) => [
    names[world.kind],
    world.place,
    stateText(world),
    world.isFound !== false ? world.lanes.join(" ") : "",
    check === undefined ? "" : `${check.state}: ${check.detail}`,
  ]);
  const fixes = shown.flatMap(({ world, check }) =>
    check?.fix === undefined ? [] : [fixLine(world, check.fix, look)],
  );
  return [...tableLines(head, rows, look), ...fixes];
}

function stateText({ isFound, account, expiresAt }: CredentialWorld): string {
  if (isFound === undefined) return "in the keychain, if at all";
  if (!isFound) return "none";
  const until = expiresAt === undefined ? [] : [`until ${new Date(expiresAt).toISOString().slice(0, 10)}`];
  return ["found", ...(account === undefined ? [] : [account]), ...until].join(", ");
}

function fixLine({ place }: CredentialWorld, fix: string, { style, glyphs }: Look): string {
  return style.dim(`${glyphs.arrow} ${place}: ${fix}`);
}
