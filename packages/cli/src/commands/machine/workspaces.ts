import type { Command } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { absolutePath } from "../../config/config-paths.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { allowDirectory, forgetDirectory, readAllowedDirectories } from "../../workspaces/allowed-directories.ts";
import { makeSampleProject } from "../../workspaces/sample-project.ts";

interface WorkspacesOptions {
  readonly json?: boolean;
}

export function addWorkspacesCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const workspaces = program.command("workspaces").description("the directories that turns may work in");
  finish(workspaces.command("ls").description("list the allowed directories")).action(
    async (options: WorkspacesOptions) => done(await list(host, options)),
  );
  finish(workspaces.command("allow").description("allow turns to work in a directory; a running gateway knows at once"))
    .argument("[dir]", "which one (default: the current one)")
    .action(async (dir: string | undefined, options: WorkspacesOptions) => done(await allow(host, dir, options)));
  finish(workspaces.command("forget").description("take back what `allow` allowed"))
    .argument("[dir]", "which one (default: the current one)")
    .action(async (dir: string | undefined, options: WorkspacesOptions) => done(await forget(host, dir, options)));
  finish(workspaces.command("sample").description("make a small project to try things on, and allow it")).action(
    async (options: WorkspacesOptions) => done(await sample(host, options)),
  );
}

function finish(command: Command): Command {
  return addConfigFlags(command.option("--json", "print JSON"));
}

async function list(host: Host, options: WorkspacesOptions): Promise<ExitCode> {
  const { dataDir, workspaces } = loadHostConfig(host, { ...options }).config;
  const rows = [
    ...workspaces.allow.map((directory) => ({ directory, from: "settings" })),
    ...readAllowedDirectories(dataDir).map((directory) => ({ directory, from: "allow" })),
  ];
  if (options.json === true) return await printJson(host, rows);
  if (rows.length === 0)
    return await printLines(host, [`No directory is allowed yet. \`${host.command} workspaces allow\` allows one.`]);
  return await printLines(
    host,
    rows.map(({ directory, from }) => (from === "settings" ? `${directory}  (from the settings)` : directory)),
  );
}

async function allow(host: Host, dir: string | undefined, options: WorkspacesOptions): Promise<ExitCode> {
  const { dataDir } = loadHostConfig(host, { ...options }).config;
  const directory = await allowDirectory(asked(host, dir), { dataDir, home: host.home });
  if (options.json === true) return await printJson(host, { directory });
  return await printLines(host, [`Turns may work in ${directory}.`]);
}

async function forget(host: Host, dir: string | undefined, options: WorkspacesOptions): Promise<ExitCode> {
  const { dataDir } = loadHostConfig(host, { ...options }).config;
  const directory = asked(host, dir);
  await forgetDirectory(directory, dataDir);
  if (options.json === true) return await printJson(host, { directory });
  return await printLines(host, [`Turns may no longer work in ${directory}. Running turns continue.`]);
}

async function sample(host: Host, options: WorkspacesOptions): Promise<ExitCode> {
  const { dataDir } = loadHostConfig(host, { ...options }).config;
  const directory = await makeSampleProject(dataDir);
  await allowDirectory(directory, { dataDir, home: host.home });
  if (options.json === true) return await printJson(host, { directory });
  return await printLines(host, [directory]);
}

function asked(host: Host, dir: string | undefined): string {
  return dir === undefined ? host.cwd : absolutePath(dir, { ...host, base: host.cwd });
}
