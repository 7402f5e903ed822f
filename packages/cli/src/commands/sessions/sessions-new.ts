import { loadHostConfig } from "../../config/config-flags.ts";
import { absolutePath } from "../../config/config-paths.ts";
import { openEngine } from "../../engine/compose.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { printJson, printLines } from "../../terminal/print.ts";

export interface NewOptions {
  readonly workspace?: string;
  readonly title?: string;
  readonly model?: string;
  readonly json?: boolean;
}

/** Creates a session without a turn, including its upstream half if the lane can create one. */
export async function createNew(host: Host, options: NewOptions): Promise<ExitCode> {
  const { title, model } = options;
  const { config } = loadHostConfig(host, { ...options });
  const workspace = absolutePath(options.workspace ?? ".", { ...host, base: host.cwd });
  const { engine, close } = await openEngine(host, config, { workspaces: [workspace], keepWarm: false });
  try {
    const session = await engine.createSession({
      workspace,
      ...(title === undefined ? {} : { title }),
      ...(model === undefined ? {} : { model }),
    });
    return options.json === true ? await printJson(host, session) : await printLines(host, [session.id]);
  } finally {
    await close();
  }
}
