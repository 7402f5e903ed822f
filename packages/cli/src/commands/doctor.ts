import type { Command } from "commander";
import { validateConfig } from "../config/load-config.ts";
import { examineInstallation } from "../doctor/deep-checks.ts";
import { checkNode, type Finding } from "../doctor/doctor-checks.ts";
import { examineMachine } from "../doctor/examine-machine.ts";
import { type ExitCode, exitCodes, type Host } from "../host.ts";
import { hostLook, type Look } from "../terminal/look.ts";
import { cleanLine } from "../terminal/text-cleaner.ts";
import { addConfigFlags, configSources, loadHostConfig } from "./config-flags.ts";
import { printJson, printLines } from "./print.ts";

interface DoctorOptions {
  readonly json?: boolean;
  readonly deep?: boolean;
}

export function addDoctorCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("doctor")
    .description("check what Caret needs, and say what to do about what is missing")
    .option("--deep", "also have the agent answer three questions, to see how it behaves in a sandbox")
    .option("--json", "print JSON");
  addConfigFlags(command).action(async (options: DoctorOptions) => done(await examine(host, options)));
}

/** Ends with 1 when something fails; a warning is no failure. */
async function examine(host: Host, options: DoctorOptions): Promise<ExitCode> {
  const findings = await findAll(host, options);
  const look = hostLook(host);
  if (options.json === true) await printJson(host, findings);
  else
    await printLines(
      host,
      findings.flatMap((finding) => findingLines(finding, look)),
    );
  return findings.some(({ state }) => state === "fail") ? exitCodes.failed : exitCodes.completed;
}

async function findAll(host: Host, options: DoctorOptions): Promise<readonly Finding[]> {
  const problems = validateConfig(configSources(host, { ...options }));
  // With settings that are wrong, every other check would look in the wrong directories.
  if (problems.length > 0) {
    const detail = problems.map(({ location, message }) => `${location}: ${message}`).join("; ");
    return [
      checkNode(process.versions.node),
      { check: "configuration", state: "fail", detail, fix: "caret config validate" },
    ];
  }
  const { config, files } = loadHostConfig(host, { ...options });
  const findings = await examineMachine(host, config, files);
  return options.deep === true ? [...findings, ...(await examineInstallation(host, config))] : findings;
}

function findingLines({ check, state, detail, fix }: Finding, { style, glyphs }: Look): readonly string[] {
  const marks = { ok: style.green(glyphs.ok), warn: style.yellow("!"), fail: style.red(glyphs.failed) };
  const line = `${marks[state]} ${check}: ${cleanLine(detail)}`;
  return fix === undefined ? [line] : [line, style.dim(`  ${glyphs.arrow} ${cleanLine(fix)}`)];
}
