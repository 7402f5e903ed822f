import { CaretError, type Secret } from "@caret/protocol";
import { createUpdateDecoder, type UpdateDecoder } from "../../decode/agent-api/update-decoder.ts";
import type { Decoded } from "../../decode/decoder.ts";
import type { ClockSettings } from "../cli/turn-clocks.ts";
import type { LaneEntry, LaneRequest } from "../lane.ts";
import type { ApiAccess } from "./api-access.ts";
import { CLIENT_VERSION, runHeaders } from "./api-headers.ts";
import type { ApiHost, RetrySettings } from "./api-host.ts";
import type { StoredConversation } from "./conversation-store.ts";
import type { ExecSetting } from "./execs/answer-execs.ts";
import { createLiveRun, type LiveRun } from "./live-run.ts";
import { createOfferedCalls } from "./offered-calls.ts";
import { requestContextOf } from "./request-context.ts";
import type { RunAction } from "./run-recovery.ts";
import { type RequestedModelInit, type RunSetting, readImages, runRequestOf } from "./run-request.ts";
import { openRunStream } from "./transport/run-stream.ts";
import type { UpstreamLink } from "./transport/upstream-link.ts";
import { createTurnOffer } from "./turn-offer.ts";

/** A turn on its way to the upstream: opens its streams, and says what of them is shown. */
export interface ApiRun {
  readonly decoder: UpdateDecoder;
  readonly clocks: ClockSettings;
  readonly retries: RetrySettings;
  readonly graceMs: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Rejects with a `CaretError` when there is no token or no connection. */
  open(action: RunAction): Promise<LiveRun>;
  /** The upstream did not take the token: the next stream is opened with another. */
  rejectToken(): void;
  show(entries: readonly Decoded[]): readonly LaneEntry[];
  taken(): void;
  /** Nothing more is answered. */
  leave(): void;
}

export interface OpenRunOptions {
  readonly host: ApiHost;
  readonly access: ApiAccess;
  readonly request: LaneRequest;
  readonly model: RequestedModelInit;
  readonly signal: AbortSignal;
}

/** Offered tools have limits of their own; this is a backstop. */
const OFFERED_MARGIN_MS = 10_000;

/** Prepare a run. Nothing is sent before its first stream is opened. */
export async function openRun({ host, access, request, model, signal }: OpenRunOptions): Promise<ApiRun> {
  const { offered } = request;
  const conversation =
    request.upstream === undefined
      ? host.conversations.create(`agent-${host.newId()}`)
      : host.conversations.open(request.upstream.sessionId);
  host.noteSecrets([conversation.encryptionKey]);
  const offer = offered === undefined ? undefined : createTurnOffer(offered);
  const images = await readImages(request.images, host.newId);
  const over = new AbortController();
  const runId = host.newId();
  const context = () => requestContextOf(request, offer, host.machine);
  const setting: RunSetting = {
    request,
    images,
    conversationId: conversation.id,
    messageId: host.newId(),
    runId,
    model,
    offer,
    context: context(),
  };
  const announced = new Set<string>();
  const execs: ExecSetting = {
    offered,
    offer,
    context,
    calls: new Map(),
    announced,
    signal: AbortSignal.any([signal, over.signal]),
    now: host.monotonic,
  };
  const decoder = createUpdateDecoder();
  const queries = { mode: request.mode, hasOfferedTools: offered !== undefined };
  const calls = createOfferedCalls(offered, offer, announced);
  const streams = createStreams({ host, access, signal, conversation, runId, allowsOnly: allowedOf(request) });
  const ready = createReadyNote(conversation);
  return {
    decoder,
    clocks: clocksOf(host, request),
    retries: host.retries,
    graceMs: host.clocks.graceMs,
    signal,
    now: host.monotonic,
    async open(action) {
      const { stream, reset } = await streams.open();
      const live = createLiveRun({ stream, reset, decoder, conversation, execs, queries, retries: host.retries });
      live.send(runRequestOf(setting, conversation.checkpoint(), action === "resume"));
      return live;
    },
    rejectToken: streams.rejectToken,
    show: (entries) => ready.before(calls.show(entries)),
    taken: calls.taken,
    leave: () => over.abort(new CaretError("cancelled", "The turn is over")),
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

interface StreamsOptions extends Pick<OpenRunOptions, "host" | "access" | "signal"> {
  readonly conversation: StoredConversation;
  readonly runId: string;
  readonly allowsOnly: "all" | "mcp" | "none";
}

/** The streams of one turn: each has a request id and a token of its own, all name the first request. */
function createStreams({ host, access, signal, conversation, runId, allowsOnly }: StreamsOptions) {
  const { credentials } = access;
  let token: Secret | undefined;
  let isRejected = false;
  let link: UpstreamLink | undefined;
  let isFirst = true;

  const findToken = async (): Promise<Secret> => {
    const found =
      token !== undefined && isRejected
        ? await credentials.replaceRejected(token, signal)
        : await credentials.accessToken(signal);
    isRejected = false;
    token = found;
    return found;
  };

  return {
    rejectToken() {
      isRejected = true;
    },
    async open() {
      const found = await findToken();
      link = await access.agent(signal);
      const requestId = isFirst ? runId : host.newId();
      isFirst = false;
      const controller = new AbortController();
      const headers = runHeaders(
        { token: found, requestId, originalRequestId: runId },
        { encryptionKey: conversation.encryptionKey, allowsOnly },
      );
      const stream = openRunStream({
        link,
        headers,
        requestId,
        signal: AbortSignal.any([signal, controller.signal]),
        maxMessageBytes: host.maxMessageBytes,
        now: host.monotonic,
      });
      return { stream, reset: (reason: CaretError) => controller.abort(reason) };
    },
  };
}

/** The upstream session is named before the first of what it says, unless all it says is that it failed. */
function createReadyNote({ id }: StoredConversation) {
  let isTold = false;
  return {
    before(entries: readonly Decoded[]): readonly LaneEntry[] {
      const [first] = entries;
      if (isTold || first === undefined || first.event.type === "notice" || first.event.type === "turn-end")
        return entries;
      isTold = true;
      const ready: LaneEntry = {
        event: { type: "session-ready", sessionId: id, version: `${CLIENT_VERSION} (unofficial)` },
        upstream: { lane: "api", sessionId: id, version: CLIENT_VERSION },
      };
      return [ready, ...entries];
    },
  };
}
