import type { Command } from "commander";
import { addConfigFlags, configSources, loadHostConfig } from "../../config/config-flags.ts";
import { configPaths, readConfigFile } from "../../config/config-paths.ts";
import { configJsonSchema } from "../../config/config-reference.ts";
import { explainConfig } from "../../config/explain-config.ts";
import { criticiseConfig } from "../../config/load-config.ts";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { hostLook } from "../../terminal/look.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { tableLines } from "../../terminal/table-lines.ts";

interface ConfigOptions {
  readonly json?: boolean;
}

export function addConfigCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const config = program.command("config").description("the settings, and where they come from");
  const add = (
    name: string,
    description: string,
    work: (host: Host, options: ConfigOptions) => Promise<ExitCode>,
  ): void => {
    const command = config.command(name).description(description).option("--json", "print JSON");
    addConfigFlags(command).action(async (options: ConfigOptions) => done(await work(host, options)));
  };
  add("print", "print every setting and who set it; secrets are hidden", printConfig);
  add("path", "print where settings are looked for", printPaths);
  add("validate", "check every setting", checkConfig);
  add("schema", "print the JSON Schema of caret.json", printSchema);
}

async function printConfig(host: Host, options: ConfigOptions): Promise<ExitCode> {
  const keys = explainConfig(loadHostConfig(host, { ...options }));
  if (options.json === true) {
    const entries = keys.map(({ key, value, source }) => [key, { value: value ?? null, source }]);
    return await printJson(host, Object.fromEntries(entries));
  }
  const rows = keys.map(({ key, value, source }) => [key, value === undefined ? "-" : JSON.stringify(value), source]);
  const head = [{ title: "key" }, { title: "value", cut: "middle" }, { title: "from", cut: "middle" }] as const;
  return await printLines(host, tableLines(head, rows, hostLook(host)));
}

async function printPaths(host: Host, options: ConfigOptions): Promise<ExitCode> {
  const sources = configSources(host, { ...options });
  const paths = configPaths(sources).map(({ path, role }) => ({ path, role, exists: isThere(path) }));
  if (options.json === true) return await printJson(host, paths);
  const rows = paths.map(({ path, role, exists }) => [path, role, exists ? "there" : "not there"]);
  return await printLines(
    host,
    tableLines([{ title: "file" }, { title: "role" }, { title: "" }], rows, hostLook(host)),
  );
}

async function checkConfig(host: Host, options: ConfigOptions): Promise<ExitCode> {
  const problems = criticiseConfig(configSources(host, { ...options }));
  const code = problems.length === 0 ? exitCodes.completed : exitCodes.usage;
  if (options.json === true) {
    await printJson(host, problems);
    return code;
  }
  const lines = problems.map(({ location, message }) => `${location}: ${message}`);
  await printLines(host, lines.length === 0 ? ["The configuration is valid."] : lines);
  return code;
}

async function printSchema(host: Host): Promise<ExitCode> {
  return await printJson(host, configJsonSchema());
}

/** An unreadable file exists too: `validate` reports what is wrong with it. */
function isThere(path: string): boolean {
  try {
    return readConfigFile(path) !== undefined;
  } catch {
    return true;
  }
}
