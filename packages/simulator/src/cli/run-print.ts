import { createAgentStage } from "../agent/agent-stage.ts";
import { playModel } from "../agent/play-model.ts";
import type { Model } from "../model/model.ts";
import { createByteWriter } from "../output/byte-writer.ts";
import { createJsonOutput, createTextOutput } from "../output/final-output.ts";
import { createStreamJsonOutput } from "../output/stream-json-output.ts";
import type { TurnOutput } from "../output/turn-output.ts";
import { loadCliConfig } from "./cli-config.ts";
import { CliFailure } from "./cli-failure.ts";
import { findConfigDir, findProjectDir, toPhysicalPath } from "./config-dir.ts";
import { requireCredentials } from "./credentials.ts";
import type { GlobalOptions } from "./global-options.ts";
import type { Host } from "./host.ts";
import { createIds } from "./ids.ts";
import { builtInModels, resolveModel } from "./model-catalogue.ts";
import { readStandardInput } from "./standard-input.ts";
import { requireTrust } from "./workspace-trust.ts";

export interface PrintRun {
  readonly host: Host;
  readonly words: readonly string[];
  readonly options: GlobalOptions;
}

/** Print mode: one prompt, one turn, one exit code. */
export async function runPrint({ host, words, options }: PrintRun): Promise<void> {
  const { env } = host;
  const configDir = findConfigDir(env);
  const credentials = requireCredentials({ env, configDir, ...options });
  const input = readStandardInput(host.stdin);
  const prompt = words.length > 0 ? words.join(" ") : (await input.ended).toString("utf8").trim();
  if (prompt === "") throw new CliFailure("Error: No prompt provided for print mode");
  const workspace = toPhysicalPath(options.workspace ?? host.cwd);
  const force = options.force === true || options.yolo === true;
  const projectDir = findProjectDir(env, workspace);
  requireTrust({ projectDir, workspace, now: host.now, trust: options.trust === true, force });
  const config = loadCliConfig(configDir, host.pid);
  const model = resolveModel(options.model ?? config.modelId, builtInModels);
  const ids = createIds(env["CARET_SIM_SEED"]);
  const sessionId = ids.uuid();
  const writer = createByteWriter(host.stdout);
  const output = createOutput(options, { writer, now: host.now });
  const stage = createAgentStage({
    start: { apiKeySource: credentials.source, cwd: workspace, sessionId, modelName: model.name, prompt },
    output,
    writer,
    requestId: ids.uuid(),
    ids,
    now: host.now,
    signal: new AbortController().signal,
    prepare: () => {
      throw new CliFailure("no tools yet");
    },
    history: [{ role: "user", text: prompt }],
    remember: () => undefined,
  });
  await playModel({
    model: echo,
    stage,
    request: { nativeTools: [], offeredTools: [], mode: "agent", workspace },
  });
  await input.ended;
}

const echo: Model = ({ messages }) => ({
  thinking: "Thinking it over.",
  text: `You said: ${messages.at(-1)?.role === "user" ? (messages.at(-1) as { text: string }).text : ""}`,
  calls: [],
  usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 },
});

function createOutput(
  { outputFormat, streamPartialOutput }: GlobalOptions,
  sink: Pick<Parameters<typeof createStreamJsonOutput>[0], "writer" | "now">,
): TurnOutput {
  switch (outputFormat) {
    case "text":
      return createTextOutput(sink);
    case "json":
      return createJsonOutput(sink);
    case "stream-json":
      return createStreamJsonOutput({ ...sink, partial: streamPartialOutput === true });
    default:
      throw new CliFailure(`Error: Invalid output format: ${outputFormat}. Use text, json or stream-json.`);
  }
}
