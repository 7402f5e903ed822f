import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";
import type { ModelListOrigin } from "../../models/model-cache.ts";
import { type ListedModel, parseModelList } from "../../models/parse-model-list.ts";
import { fileStamp } from "../../paths/private-files.ts";
import type { ChildHandle } from "../../process/child-handle.ts";
import { classifyFailure } from "../classify-failure.ts";
import type { AgentHost } from "./agent-host.ts";
import { childCommandOf } from "./child-command-of.ts";
import { programWords } from "./command-name.ts";

const DEADLINE_MS = 30_000;
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * The models listed by the CLI. It needs a login and asks Cursor's servers, so it is also the best test of both. Never call it while a
 * session lives: starting a second CLI has been seen to end the first.
 */
export async function listCliModels(host: AgentHost, deadlineMs = DEADLINE_MS): Promise<readonly ListedModel[]> {
  const profile = await host.resolveProfile("default");
  const launch = await host.resolveLaunch(host.programs.command);
  const child = host.spawn(
    childCommandOf({ host, launch, args: ["models"], workspace: "/", profile, stdin: "closed" }),
  );
  const calledOff = new AbortController();
  const printed = readOutput(child);
  const late = sleep(deadlineMs, undefined, { signal: calledOff.signal, ref: false }).catch(() => "called off");
  const output = await Promise.race([printed, late]);
  calledOff.abort();
  const exit = await child.stop({ graceMs: host.clocks.graceMs });
  if (typeof output !== "object")
    throw new CaretError("stalled", `The agent listed no models within ${deadlineMs} ms`, { upstream: tailOf(child) });
  if (exit.kind !== "exited") throw exit.error;
  if (exit.code === 0) return requireModels(output.text);
  throw classifyFailure({
    stderr: child.stderrTail(),
    exitCode: exit.code,
    signal: exit.signal,
    stdoutEmpty: output.text === "",
    ...programWords(host.programs.command, launch.file),
    platform: host.platform,
  });
}

/** The variables that determine the account and the servers. Others differ between a terminal and a service. */
const accountVariables = /^(?:CURSOR_|AGENT_CLI_|CARET_SIM_|HOME$|XDG_CONFIG_HOME$|APPDATA$)/;

/** What the CLI would use now to list models. */
export async function cliModelsFrom(host: AgentHost): Promise<ModelListOrigin> {
  const profile = await host.resolveProfile("default");
  const launch = await host.resolveLaunch(host.programs.command);
  const env = Object.entries(host.environment(profile))
    .filter(([name]) => accountVariables.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const files = [launch.file, ...launch.args, ...host.filesReadAtStart(profile)];
  return {
    account: hash("sha256", JSON.stringify([env, profile.configDir]), "hex"),
    state: hash("sha256", JSON.stringify([files, files.map(fileStamp)]), "hex"),
  };
}

/** An empty list proves nothing: some versions print one, and exit with 0, if no one is logged in. */
function requireModels(printed: string): readonly ListedModel[] {
  const models = parseModelList(printed);
  if (models.length > 0) return models;
  const upstream = printed.trim().slice(0, 2_000);
  if (/no models available/i.test(printed))
    throw new CaretError("not-logged-in", "The agent lists no models for this account", { upstream });
  throw new CaretError("protocol-drift", "The agent's list of models has none that Caret can read", { upstream });
}

/** Reads to the end of the output, which comes with the end of the process. */
async function readOutput(child: ChildHandle): Promise<{ readonly text: string }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of child.stdout) {
    bytes += chunk.length;
    if (bytes <= MAX_BYTES) chunks.push(chunk);
  }
  await child.exit;
  return { text: Buffer.concat(chunks).toString("utf8") };
}

function tailOf(child: ChildHandle): string {
  return child.stderrTail().trim().slice(-2_000);
}
