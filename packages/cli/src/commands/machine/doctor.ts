import { CaretError } from "@caret/protocol";
import type { Command } from "commander";
import { addConfigFlags, configSources, loadHostConfig } from "../../config/config-flags.ts";
import type { Config } from "../../config/config-schema.ts";
import { validateConfig } from "../../config/load-config.ts";
import { loadPriceUpdates } from "../../config/price-file.ts";
import { examineInstallation } from "../../doctor/deep-checks.ts";
import { checkNode } from "../../doctor/doctor-checks.ts";
import { examineMachine } from "../../doctor/examine-machine.ts";
import { type Finding, toFindingView, whyItMatters } from "../../doctor/finding.ts";
import { gatewayUrl } from "../../gateway/gateway-url.ts";
import { withKeptPort } from "../../gateway/kept-port.ts";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { hostLook } from "../../terminal/look.ts";
import { printJson, printLines, write } from "../../terminal/print.ts";
import { withProgress } from "../../terminal/progress.ts";
import { cleanLine } from "../../terminal/text-cleaner.ts";
import { wrapText } from "../../terminal/word-wrap.ts";

interface DoctorOptions {
  readonly json?: boolean;
  readonly deep?: boolean;
  readonly fix?: boolean;
  readonly webhook?: boolean;
}

export function addDoctorCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("doctor")
    .description("check what Caret needs, and say what to do about what is missing")
    .option("--deep", "also have the agent answer three questions, to see how it behaves in a sandbox")
    .option("--fix", "apply the fixes that lose nothing and ask nobody else, then check again")
    .option("--webhook", "also send a test to the webhook (`notify.webhook.url`)")
    .option("--json", "print JSON");
  addConfigFlags(command).action(async (options: DoctorOptions) => done(await examine(host, options)));
}

/** Exits with 1 if a check fails; warnings do not count. */
async function examine(host: Host, options: DoctorOptions): Promise<ExitCode> {
  const look = hostLook(host);
  const first = await withProgress(host, "Checking this machine", () => findAll(host, options));
  const mended = options.fix === true ? mend(first) : [];
  for (const line of mended) await write(host.stderr, `caret: ${line}\n`);
  const findings = mended.length > 0 ? await findAll(host, options) : first;
  if (options.json === true) await printJson(host, findings.map(toFindingView));
  else
    await printLines(
      host,
      findings.flatMap((finding) => findingLines(finding, look)),
    );
  return findings.some(({ state }) => state === "fail") ? exitCodes.failed : exitCodes.completed;
}

/** Mends only findings that know how; the rest is for the person to decide. Returns a line per attempt. */
function mend(findings: readonly Finding[]): readonly string[] {
  return findings.flatMap(({ check, state, fix = "", mend: apply }) => {
    if (state === "ok" || apply === undefined) return [];
    try {
      apply();
      return [`fixed ${check}: ${fix}`];
    } catch (reason) {
      // The others can still be mended, and the check that follows finds this one again.
      return [`could not fix ${check}: ${reason instanceof Error ? reason.message : String(reason)}`];
    }
  });
}

async function findAll(host: Host, options: DoctorOptions): Promise<readonly Finding[]> {
  const problems = validateConfig(configSources(host, { ...options }));
  // With invalid settings every other check would look in the wrong directories.
  if (problems.length > 0) {
    const detail = problems.map(({ location, message }) => `${location}: ${message}`).join("; ");
    return [
      checkNode(process.versions.node),
      { check: "configuration", state: "fail", detail, fix: "caret config validate" },
    ];
  }
  const prices = checkPrices(host);
  if (prices !== undefined) return [checkNode(process.versions.node), prices];
  const { config, files } = withKeptPort(loadHostConfig(host, { ...options }));
  // Before the checks, one of which reports the result.
  if (options.webhook === true) await testWebhook(host, config);
  const findings = await examineMachine(host, config, files);
  return options.deep === true ? [...findings, ...(await examineInstallation(host, config))] : findings;
}

/** A failure is recorded, and reported by the webhook's check. */
async function testWebhook(host: Host, config: Config): Promise<void> {
  if (config.notify.webhook.url === undefined)
    throw new CaretError("invalid-request", "No webhook is set", { fix: "Set notify.webhook.url first." });
  const { testGatewayWebhook } = await import("../../gateway/gateway-webhook.ts");
  await testGatewayWebhook(config, gatewayUrl(host, config)).catch(() => undefined); // recorded for the check
}

/** No other command starts with an invalid price file; this one reports it. */
function checkPrices(host: Host): Finding | undefined {
  try {
    loadPriceUpdates(host);
    return undefined;
  } catch (reason) {
    const { message, fix } = CaretError.from(reason);
    return { check: "prices", state: "fail", detail: message, fix };
  }
}

type HostLook = ReturnType<typeof hostLook>;

const INDENT = "  ";

function findingLines(finding: Finding, look: HostLook): readonly string[] {
  const { check, state, detail, fix } = finding;
  const { style, glyphs } = look;
  const marks = { ok: style.green(glyphs.ok), warn: style.yellow("!"), fail: style.red(glyphs.failed) };
  const why = whyItMatters(finding);
  const lines = (text: string, first = INDENT) => wrapText(text, { first, indent: INDENT }, look);
  return [
    ...lines(`${check}: ${cleanLine(detail)}`, `${marks[state]} `),
    ...(why === undefined ? [] : lines(why).map(style.dim)),
    ...(fix === undefined ? [] : lines(`${glyphs.arrow} ${cleanLine(fix)}`).map(style.dim)),
  ];
}
