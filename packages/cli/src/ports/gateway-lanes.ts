import { join } from "node:path";
import { type AboutView, CaretError, type LaneName } from "@caret/protocol";
import {
  createModelCache,
  createModelDirectory,
  featuresOf,
  type LaneFeature,
  type RuntimeModels,
} from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import type { OpenedEngine } from "../engine/compose.ts";
import type { LaneProbe } from "../engine/lane-probe.ts";

/** The lanes turns can take here, default first. */
export function lanesOf({ lane }: OpenedEngine): readonly LaneName[] {
  if (lane === "sim") return ["sim"];
  return lane === "cli" ? ["cli", "acp", "sim"] : [lane, "sim"];
}

/** Checked on every call: a program that existed a minute ago may be gone. */
export async function laneStates(opened: OpenedEngine): Promise<AboutView["lanes"]> {
  const states = lanesOf(opened).map(async (lane) => ({ ...(await stateOf(lane, opened)), ...imagesOf(lane) }));
  return await Promise.all(states);
}

type LaneState = AboutView["lanes"][number];

async function stateOf(lane: LaneName, opened: OpenedEngine): Promise<LaneState> {
  if (lane === "sim") return { lane, ready: true, simulated: true, detail: "the built-in simulator, not Cursor" };
  if (lane === "acp" && opened.lane !== "acp") return { lane, simulated: false, ...(await acpState(opened)) };
  try {
    await opened.probe.ready();
    return { lane, ready: true, simulated: false, ...(lane === "api" ? { detail: "unofficial" } : {}) };
  } catch (reason) {
    return { lane, ready: false, simulated: false, detail: CaretError.from(reason).message };
  }
}

function imagesOf(lane: LaneName): Pick<LaneState, "takesImages"> {
  return takesImages(lane) ? { takesImages: true } : {};
}

/** Whether the agent accepts images directly. */
export function takesImages(lane: LaneName): boolean {
  const features: Readonly<Partial<Record<LaneName, readonly LaneFeature[]>>> = featuresOf;
  return features[lane]?.includes("images") === true;
}

async function acpState({ hasAcp }: OpenedEngine): Promise<{ readonly ready: boolean; readonly detail: string }> {
  const ready = await hasAcp();
  return { ready, detail: ready ? "the agent asks you itself" : "the agent CLI is not there, or too old for ACP" };
}

interface LaneModelsOptions {
  readonly config: Config;
  readonly lane: LaneName;
  readonly probe: LaneProbe;
  /** While turns run, asking the agent for its models could disturb one. */
  readonly isBusy: () => boolean;
  readonly onError: (error: CaretError) => void;
}

interface LaneModels {
  readonly directory: RuntimeModels;
  /** Resolves when nothing is being fetched. */
  settled(): Promise<unknown>;
}

/** A lane's models: those its agent lists, cached on disk, and for real agents those the configuration names. */
export function laneModels({ config, lane, probe, isBusy, onError }: LaneModelsOptions): LaneModels {
  const cache = createModelCache({
    file: join(config.dataDir, "models", `${lane}.json`),
    origin: () => probe.modelsFrom(),
    list: () => probe.listModels(),
    // Asking the upstream itself disturbs no turn; a second CLI has been seen to end the first.
    isBusy: lane === "api" ? () => false : isBusy,
    onError,
  });
  const named = Object.entries(config.models).flatMap(([name, { enabled }]) => (enabled ? [name] : []));
  const directory = createModelDirectory({ cache, named: lane === "sim" ? [] : named, defaultModel: config.model });
  return { directory, settled: () => cache.settled() };
}
