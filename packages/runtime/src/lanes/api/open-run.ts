import { CaretError } from "@caret/protocol";
import type { AccessToken } from "../../credentials/credentials.ts";
import { createUpdateDecoder, type UpdateDecoder } from "../../decode/agent-api/update-decoder.ts";
import type { Decoded } from "../../decode/decoder.ts";
import type { TurnActs } from "../../log/turn-acts.ts";
import type { LaneEntry, LaneRequest } from "../lane.ts";
import type { ClockSettings } from "../turn-clocks.ts";
import type { ApiAccess } from "./api-access.ts";
import { CLIENT_VERSION } from "./api-headers.ts";
import type { ApiHost, RetrySettings } from "./api-host.ts";
import type { StoredConversation } from "./conversation-store.ts";
import type { ExecSetting } from "./execs/answer-execs.ts";
import { createLiveRun, type LiveRun } from "./live-run.ts";
import { createOfferedCalls } from "./offered-calls.ts";
import { requestContextOf } from "./request-context.ts";
import type { RunAction } from "./run-recovery.ts";
import { type RequestedModelInit, type RunSetting, readImages, runRequestOf } from "./run-request.ts";
import { createRunSteering } from "./run-steering.ts";
import { createRunStreams } from "./run-streams.ts";
import { stateBefore, withStateBefore } from "./state-before.ts";
import { createTurnOffer } from "./turn-offer.ts";

/** A turn's exchange with upstream: opens its streams and decides what of them is shown. */
export interface ApiRun {
  readonly decoder: UpdateDecoder;
  readonly clocks: ClockSettings;
  readonly retries: RetrySettings;
  readonly graceMs: number;
  readonly signal: AbortSignal;
  readonly acts: TurnActs;
  readonly now: () => number;
  /** Rejects with a `CaretError` if there is no token or no connection. */
  open(action: RunAction): Promise<LiveRun>;
  /** Upstream rejected the token: the next stream uses another. */
  rejectToken(): void;
  show(entries: readonly Decoded[]): readonly LaneEntry[];
  taken(): void;
  /** Resolves when the agent has it. Rejects while no stream is open. */
  steer(text: string): Promise<void>;
  /** Stops answering. */
  leave(): void;
  /** Resolves when everything upstream saved is stored. */
  settled(): Promise<void>;
}

export interface OpenRunOptions {
  readonly host: ApiHost;
  readonly access: ApiAccess;
  /** For the first stream. */
  readonly token: AccessToken;
  readonly request: LaneRequest;
  readonly model: RequestedModelInit;
  readonly signal: AbortSignal;
}

/** Offered tools have limits of their own; this is a backstop. */
const OFFERED_MARGIN_MS = 10_000;

/** Prepares a run. Nothing is sent before its first stream is opened. */
export async function openRun(options: OpenRunOptions): Promise<ApiRun> {
  const { host, request, signal } = options;
  const { setting, conversation, execs, over, onCheckpoint } = await prepare(options);
  const { offered } = request;
  const { retries } = host;
  const decoder = createUpdateDecoder();
  const queries = { mode: request.mode, hasOfferedTools: offered !== undefined };
  const calls = createOfferedCalls(offered, setting.offer, execs.announced);
  const streams = createRunStreams({ ...options, conversation, runId: setting.runId, allowsOnly: allowedOf(request) });
  const ready = createReadyNote(conversation);
  const steering = createRunSteering({ runId: setting.runId, newId: host.newId });
  let live: LiveRun | undefined;
  return {
    decoder,
    clocks: clocksOf(host, request),
    retries,
    graceMs: host.clocks.graceMs,
    signal,
    acts: request.acts,
    now: host.monotonic,
    async open(action) {
      const { stream, reset } = await streams.open();
      const onInjection = steering.note;
      live = createLiveRun({
        stream,
        reset,
        decoder,
        conversation,
        execs,
        queries,
        retries,
        onInjection,
        onCheckpoint,
      });
      live.send(runRequestOf(setting, conversation.checkpoint(), action === "resume"));
      return live;
    },
    rejectToken: streams.rejectToken,
    show: (entries) => ready.before(calls.show(entries)),
    taken: calls.taken,
    async steer(text) {
      const stream = live;
      if (stream === undefined) throw new CaretError("unsupported", "The turn has not reached the upstream yet");
      await steering.say(text, (message) => stream.send(message));
    },
    settled: async () => await conversation.settled?.(),
    leave() {
      steering.end();
      over.abort(new CaretError("cancelled", "The turn is over"));
    },
  };
}

/** Shared by all streams of the run. */
interface PreparedRun {
  readonly setting: RunSetting;
  readonly conversation: StoredConversation;
  readonly execs: ExecSetting;
  readonly onCheckpoint: () => void;
  /** Ends execs still being answered. */
  readonly over: AbortController;
}

async function prepare({ host, request, model, signal }: OpenRunOptions): Promise<PreparedRun> {
  const { offered, upstream } = request;
  const { conversations, newId } = host;
  const stored =
    upstream === undefined ? conversations.create(`agent-${newId()}`) : await conversations.open(upstream.sessionId);
  const before = stateBefore(stored.checkpoint());
  const conversation = withStateBefore(stored, before);
  host.noteSecrets([conversation.encryptionKey]);
  const offer = offered === undefined ? undefined : createTurnOffer(offered);
  const context = () => requestContextOf(request, offer, host.machine);
  const images = await readImages(request.images, newId);
  const conversationId = conversation.id;
  const ids = { conversationId, runId: newId(), messageId: newId() };
  const over = new AbortController();
  let checkpoints = 0;
  return {
    setting: { request, images, model, offer, stateBlobId: before.id, context: context(), ...ids },
    conversation,
    execs: {
      offered,
      answerRefused: request.answerRefused,
      offer,
      context,
      calls: new Map(),
      announced: new Set(),
      checkpoints: () => checkpoints,
      signal: AbortSignal.any([signal, over.signal]),
      now: host.monotonic,
    },
    over,
    onCheckpoint() {
      checkpoints += 1;
    },
  };
}

function clocksOf({ clocks }: ApiHost, { offered }: LaneRequest): ClockSettings {
  const { toolMs } = clocks;
  return { ...clocks, toolMs: offered === undefined ? toolMs : 2 * toolMs + OFFERED_MARGIN_MS };
}

function allowedOf({ offered }: LaneRequest): "all" | "mcp" | "none" {
  if (offered === undefined || offered.owner === "gateway") return "all";
  return offered.tools.length > 0 || offered.onToolsChange !== undefined ? "mcp" : "none";
}

/** Names the upstream session before its first words, unless all it says is that it failed. */
function createReadyNote({ id }: StoredConversation) {
  let isReported = false;
  return {
    before(entries: readonly Decoded[]): readonly LaneEntry[] {
      const [first] = entries;
      if (isReported || first === undefined || first.event.type === "notice" || first.event.type === "turn-end")
        return entries;
      isReported = true;
      const ready: LaneEntry = {
        event: { type: "session-ready", sessionId: id, version: `${CLIENT_VERSION} (unofficial)` },
        upstream: { lane: "api", sessionId: id, version: CLIENT_VERSION },
      };
      return [ready, ...entries];
    },
  };
}
