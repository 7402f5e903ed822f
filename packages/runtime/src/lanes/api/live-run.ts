import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { CaretError } from "@caret/protocol";
import { readTextExactly } from "@caret/protocol/agent-api";
import { ConversationStateStructureSchema } from "@caret/protocol/agent-api/conversation";
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  type AgentServerMessage,
  AgentServerMessageSchema,
} from "@caret/protocol/agent-api/run";
import type { UpdateDecoder } from "../../decode/agent-api/update-decoder.ts";
import type { Decoded } from "../../decode/decoder.ts";
import { answerKv } from "./answer-kv.ts";
import { answerQuery, type QuerySetting } from "./answer-query.ts";
import type { RetrySettings } from "./api-host.ts";
import type { StoredConversation } from "./conversation-store.ts";
import { createExecAnswers, type ExecSetting } from "./execs/answer-execs.ts";
import type { StreamRead } from "./transport/message-stream.ts";
import type { RunStream } from "./transport/run-stream.ts";
import type { StreamEnd } from "./transport/stream-end.ts";

readTextExactly();

/** What a turn's stream works on; it outlives the stream. */
export interface LiveRunSetting {
  readonly decoder: UpdateDecoder;
  readonly conversation: StoredConversation;
  readonly execs: ExecSetting;
  readonly queries: QuerySetting;
  readonly retries: RetrySettings;
  /** Upstream has saved everything it said so far. */
  readonly onCheckpoint: () => void;
  /** Reports the outcome of words sent to the working agent. */
  readonly onInjection?: (injectionId: string, state: string) => void;
}

/** The meaning of one read. */
export interface LiveRead {
  readonly entries: readonly Decoded[];
  /** Upstream has saved everything it said so far. */
  readonly hasCheckpoint: boolean;
  readonly end: StreamEnd | undefined;
}

/** One stream of a turn; answers everything upstream asks over it. */
export interface LiveRun {
  /** The next read; one at a time. */
  pull(): Promise<IteratorResult<StreamRead, void>>;
  take(read: StreamRead): LiveRead;
  /** The entries returned by `take` are in the log. */
  taken(): void;
  send(message: AgentClientMessage): void;
  /** Ends the exchange and everything that keeps it alive. */
  close(): void;
}

export interface LiveRunOptions extends LiveRunSetting {
  readonly stream: RunStream;
  /** Resets the request. */
  readonly reset: (reason: CaretError) => void;
}

export function createLiveRun(options: LiveRunOptions): LiveRun {
  const { stream, decoder, conversation, retries, reset } = options;
  const send = (message: AgentClientMessage): void => stream.send(message);
  const execs = createExecAnswers(options.execs, send);
  const beat = (): void => {
    if (stream.waitedMs() > retries.writeMs) reset(new CaretError("stalled", WRITE_STALLED));
    else send(create(AgentClientMessageSchema, { message: { case: "clientHeartbeat", value: {} } }));
  };
  const timers = [
    setInterval(beat, retries.heartbeatMs),
    setInterval(() => execs.beat(), retries.execHeartbeatMs),
  ] as const;

  const takeMessage = ({ message, $unknown = [] }: AgentServerMessage): readonly Decoded[] => {
    switch (message.case) {
      case "interactionUpdate":
        noteInjection(message.value, options.onInjection);
        return decoder.update(message.value);
      case "execServerMessage":
        execs.take(message.value);
        return [];
      case "execServerControlMessage":
        if (message.value.message.case === "abort") execs.abort(message.value.message.value.id);
        return [];
      case "kvServerMessage":
        answerKv(message.value, conversation, (value) =>
          send(create(AgentClientMessageSchema, { message: { case: "kvClientMessage", value } })),
        );
        return [];
      case "conversationCheckpointUpdate":
        conversation.saveCheckpoint(toBinary(ConversationStateStructureSchema, message.value));
        options.onCheckpoint();
        decoder.checkpoint(message.value.tokenDetails);
        return [];
      case "interactionQuery": {
        const value = answerQuery(message.value, options.queries);
        send(create(AgentClientMessageSchema, { message: { case: "interactionResponse", value } }));
        return decoder.answered(message.value, value);
      }
      default:
        return $unknown.length === 0 ? [] : decoder.unknown(`server_message:${$unknown.map(({ no }) => no)}`, {});
    }
  };

  return {
    pull: () => stream.reads.next(),
    take({ messages, end }) {
      const entries: Decoded[] = [];
      let hasCheckpoint = false;
      for (const bytes of messages) {
        const message = parse(bytes);
        if (CaretError.is(message)) return { entries, hasCheckpoint, end: { kind: "dropped", error: message } };
        if (message.message.case === "conversationCheckpointUpdate") hasCheckpoint = true;
        for (const entry of takeMessage(message)) entries.push(entry);
      }
      return { entries, hasCheckpoint, end };
    },
    taken: () => execs.taken(),
    send,
    close() {
      for (const timer of timers) clearInterval(timer);
      stream.end();
      reset(new CaretError("cancelled", "The run is over"));
    },
  };
}

const WRITE_STALLED = "The connection to the upstream takes no more data";

function parse(bytes: Uint8Array): AgentServerMessage | CaretError {
  try {
    return fromBinary(AgentServerMessageSchema, bytes);
  } catch (cause) {
    return new CaretError("protocol-drift", "A message of the upstream's cannot be read", { cause });
  }
}

type Update = Extract<AgentServerMessage["message"], { case: "interactionUpdate" }>["value"];

function noteInjection({ message }: Update, onInjection: LiveRunSetting["onInjection"]): void {
  if (message.case !== "contextInjectionState") return;
  onInjection?.(message.value.injectionId, message.value.state?.state.case ?? "unknown");
}
