import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { create, type DescMessage, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { type InteractionQuery, InteractionQuerySchema } from "@caret/protocol/agent-api/interactions";
import { SelectedContextBlobSchema } from "@caret/protocol/agent-api/seed";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LaneEntry, LaneRequest } from "../lane.ts";
import { pullTurn } from "../testing/pull-turn.ts";
import { type ApiBench, collectTurn, createApiBench, storyOf, unstopped } from "./testing/api-bench.ts";
import {
  type ScriptedRun,
  type ScriptedUpstream,
  saysHello,
  startScriptedUpstream,
} from "./testing/scripted-upstream.ts";

let bench: ApiBench;
let upstream: ScriptedUpstream;
beforeEach(() => {
  bench = createApiBench();
});
afterEach(async () => {
  await bench.close();
  await upstream.close();
});

async function play(script: (run: ScriptedRun) => unknown, request: Partial<LaneRequest> = {}) {
  upstream = await startScriptedUpstream(async (run) => {
    await script(run);
    saysHello(run);
  });
  return await collectTurn(pullTurn(bench.lane(upstream.url), bench.request(request), unstopped()));
}

describe("a turn", () => {
  it("says what the upstream says, with its usage and where its session is kept", async () => {
    upstream = await startScriptedUpstream((run) => {
      run.update(
        { case: "heartbeat", value: {} },
        { case: "thinkingDelta", value: { text: "Hm." } },
        { case: "thinkingCompleted", value: { thinkingDurationMs: 12 } },
        { case: "textDelta", value: { text: "Hello" } },
        { case: "textDelta", value: { text: "." } },
      );
      run.send({
        case: "conversationCheckpointUpdate",
        value: { tokenDetails: { usedTokens: 254, maxTokens: 200_000 } },
      });
      run.update({ case: "turnEnded", value: { inputTokens: 120n, outputTokens: 34n, cacheReadTokens: 100n } });
      run.end();
    });
    const lane = bench.lane(upstream.url);
    const entries = (await Array.fromAsync(pullTurn(lane, bench.request(), unstopped()))).flat();
    expect(entries).toEqual([
      {
        event: { type: "session-ready", sessionId: "agent-id-1", version: "sdk-1.0.32 (unofficial)" },
        upstream: { lane: "api", sessionId: "agent-id-1", version: "sdk-1.0.32" },
      },
      ...[
        { type: "thinking-start", blockId: "thinking-1" },
        { type: "thinking-delta", blockId: "thinking-1", text: "Hm." },
        { type: "thinking-end", blockId: "thinking-1", durationMs: 12 },
        { type: "text-start", blockId: "text-2" },
        { type: "text-delta", blockId: "text-2", text: "Hello" },
        { type: "text-delta", blockId: "text-2", text: "." },
        { type: "text-end", blockId: "text-2" },
        {
          type: "usage",
          usage: { input: 120, output: 34, cacheRead: 100 },
          context: { used: 254, size: 200_000 },
        },
        { type: "turn-end", outcome: { kind: "completed" } },
      ].map((event) => expect.objectContaining({ event })),
    ]);
  });

  it("shows the agent's tools as the CLI's lane does", async () => {
    const args = { command: "ls", workingDirectory: "/w", timeout: 5, toolCallId: "c1" };
    const success = { command: "ls", stdout: "a.txt\n", exitCode: 0 };
    const tool = (value: object) => ({ case: "shellToolCall", value: { args, ...value } }) as const;
    const events = await play((run) => {
      run.update(
        { case: "toolCallStarted", value: { callId: "c1", toolCall: { tool: tool({}) } } },
        {
          case: "toolCallDelta",
          value: {
            callId: "c1",
            toolCallDelta: {
              delta: {
                case: "shellToolCallDelta",
                value: { delta: { case: "stdout", value: { content: "a.txt\n" } } },
              },
            },
          },
        },
        {
          case: "toolCallCompleted",
          value: {
            callId: "c1",
            toolCall: { tool: tool({ result: { result: { case: "success", value: success } } }) },
          },
        },
      );
    });
    expect(events.slice(1, 4)).toEqual([
      {
        type: "tool-call",
        callId: "c1",
        name: "shell",
        kind: "shell",
        input: { command: "ls", workingDirectory: "/w", timeout: 5 },
        owner: "agent",
      },
      { type: "tool-output", callId: "c1", text: "a.txt\n" },
      { type: "tool-result", callId: "c1", status: "ok", output: "a.txt\n", exitCode: 0 },
    ]);
  });

  it("asks as the official client asks", async () => {
    const image = join(bench.directory, "dot.png");
    writeFileSync(image, "not really a picture");
    await play(() => undefined, {
      prompt: "What is this?",
      mode: "plan",
      images: [{ path: image, mediaType: "image/png" }],
    });
    const [run] = upstream.runs;
    expect(run?.headers).toMatchObject({
      authorization: "Bearer token-1",
      "content-type": "application/connect+proto",
      "connect-protocol-version": "1",
      "connect-accept-encoding": "gzip,br",
      "user-agent": "connect-es/1.6.1",
      "x-cursor-client-type": "sdk",
      "x-cursor-client-version": "sdk-1.0.32",
      "x-ghost-mode": "true",
      "x-blob-encryption-key": expect.stringMatching(/^[0-9a-f]{64}$/),
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/),
    });
    expect(run?.request).toMatchObject({
      conversationId: "agent-id-1",
      requestedModel: { modelId: "default" },
      runId: run?.headers["x-request-id"],
      conversationState: { turns: [] },
      mcpTools: { mcpTools: [] },
      action: {
        action: {
          case: "userMessageAction",
          value: {
            userMessage: {
              text: "What is this?",
              mode: 3,
              selectedContext: { selectedImages: [{ mimeType: "image/png", path: image }] },
            },
          },
        },
      },
    });
    const { action } = run?.request.action ?? {};
    const said = action?.case === "userMessageAction" ? action.value.userMessage : undefined;
    const data = said?.selectedContext?.selectedImages[0]?.dataOrBlobId;
    expect(Buffer.from(data?.case === "data" ? data.value : []).toString()).toBe("not really a picture");
  });

  it("keeps the agent off its own tools where the client runs them", async () => {
    const offered = {
      owner: "client",
      tools: [],
      system: "",
      realWorkspace: undefined,
      call: async () => ({ text: "", isError: false }),
      announce: () => undefined,
    } as const;
    await play(() => undefined, { offered });
    expect(upstream.runs[0]?.headers["x-cursor-agent-allowed-tools"]).toBe("");
  });
});

describe("what the upstream keeps with its client", () => {
  it("is given back by its id, in this turn and the next, which goes on from the last checkpoint", async () => {
    const data = Buffer.from("a message");
    const id = createHash("sha256").update(data).digest();
    const answers: unknown[] = [];
    const ask = async (run: ScriptedRun, blobId: Uint8Array): Promise<void> => {
      run.send({ case: "kvServerMessage", value: { id: 2, message: { case: "getBlobArgs", value: { blobId } } } });
      const answer = await run.next();
      if (answer?.case !== "kvClientMessage" || answer.value.message.case !== "getBlobResult") return;
      const { blobData } = answer.value.message.value;
      answers.push(blobData && Buffer.from(blobData).toString());
    };
    upstream = await startScriptedUpstream(async (run, index) => {
      if (index === 0) {
        run.send({
          case: "kvServerMessage",
          value: { id: 1, message: { case: "setBlobArgs", value: { blobId: id, blobData: data } } },
        });
        await run.next();
      }
      await ask(run, id);
      await ask(run, Buffer.alloc(32));
      run.update({ case: "turnEnded", value: {} });
      run.send({ case: "conversationCheckpointUpdate", value: { rootPromptMessagesJson: [id] } });
      run.end();
    });
    const lane = bench.lane(upstream.url);
    await collectTurn(pullTurn(lane, bench.request(), unstopped()));
    const attachment = { lane: "api", sessionId: "agent-id-1" } as const;
    expect([lane.canResume(attachment, ""), lane.canResume({ ...attachment, sessionId: "agent-x" }, "")]).toEqual([
      true,
      false,
    ]);
    await collectTurn(pullTurn(lane, bench.request({ upstream: attachment }), unstopped()));
    const [first, second] = upstream.runs;
    expect(answers).toEqual(["a message", undefined, "a message", undefined]);
    expect(second?.request.conversationState?.rootPromptMessagesJson.map((bytes) => Buffer.from(bytes))).toEqual([id]);
    expect([second?.request.conversationId, second?.headers["x-blob-encryption-key"]]).toEqual([
      "agent-id-1",
      first?.headers["x-blob-encryption-key"],
    ]);
  });
});

describe("a message", () => {
  it("names the blob of the state before it, which is kept for this turn and the next", async () => {
    const ids: string[] = [];
    const states: unknown[] = [];
    upstream = await startScriptedUpstream(async (run, index) => {
      const { action } = run.request.action ?? {};
      const message = action?.case === "userMessageAction" ? action.value.userMessage : undefined;
      ids.push(Buffer.from(message?.conversationStateBlobId ?? []).toString("hex"));
      for (const id of ids) states.push(await stateOf(run, Buffer.from(id, "hex")));
      const state = { rootPromptMessagesJson: [Buffer.from(`root ${index}`)], agentType: "cli" };
      run.send({ case: "conversationCheckpointUpdate", value: state });
      saysHello(run);
    });
    const lane = bench.lane(upstream.url);
    await collectTurn(pullTurn(lane, bench.request(), unstopped()));
    const attachment = { lane: "api", sessionId: "agent-id-1" } as const;
    await collectTurn(pullTurn(lane, bench.request({ upstream: attachment }), unstopped()));
    const before = { roots: [], client: "sdk" };
    expect([new Set(ids).size, states]).toEqual([2, [before, before, { roots: ["root 0"], client: "cli" }]]);
  });

  async function stateOf(run: ScriptedRun, blobId: Uint8Array): Promise<unknown> {
    run.send({ case: "kvServerMessage", value: { id: 2, message: { case: "getBlobArgs", value: { blobId } } } });
    const answer = await run.next();
    if (answer?.case !== "kvClientMessage" || answer.value.message.case !== "getBlobResult") return undefined;
    const { blobData = new Uint8Array() } = answer.value.message.value;
    const { rootPromptBlobIds, clientName } = fromBinary(SelectedContextBlobSchema, blobData);
    expect(createHash("sha256").update(blobData).digest()).toEqual(Buffer.from(blobId));
    return { roots: rootPromptBlobIds.map((id) => Buffer.from(id).toString()), client: clientName };
  }
});

const queryFields = InteractionQuerySchema.oneofs[0]?.fields ?? [];

describe("what the upstream asks of a person", () => {
  it.each(queryFields.map((field) => [field.localName, field] as const))(
    "%s is answered at once",
    async (name, field) => {
      let answer: unknown;
      await play(async (run) => {
        const query = { case: name, value: create(field.message as DescMessage) } as InteractionQuery["query"];
        run.send({ case: "interactionQuery", value: { id: 9, query: query as never } });
        answer = await run.next();
      });
      expect(answer).toMatchObject({
        case: "interactionResponse",
        value: { id: 9, result: { case: expect.any(String) } },
      });
    },
  );

  it("is answered even when it is unknown", async () => {
    let answer: unknown;
    await play(async (run) => {
      run.send({ case: "interactionQuery", value: { id: 4 } });
      answer = await run.next();
    });
    expect(answer).toMatchObject({ case: "interactionResponse", value: { id: 4, result: { case: undefined } } });
  });

  it("is logged with its answer: a search is approved, a question has nobody to answer it", async () => {
    const events = await play(async (run) => {
      const search = { case: "webSearchRequestQuery", value: { args: { searchTerm: "tides" } } } as const;
      const question = {
        case: "askQuestionInteractionQuery",
        value: { args: { title: "Which?", questions: [{ id: "q", prompt: "Which one?" }] } },
      } satisfies MessageInitShape<typeof InteractionQuerySchema>["query"];
      run.send({ case: "interactionQuery", value: { id: 1, query: search } });
      await run.next();
      run.send({ case: "interactionQuery", value: { id: 2, query: question } });
      await run.next();
    });
    expect(events.filter(({ type }) => /^(?:approval|question)/.test(type))).toEqual([
      { type: "approval-request", requestId: "query-1", subject: "webSearch", input: { searchTerm: "tides" } },
      { type: "approval-answer", requestId: "query-1", decision: "approved", by: "policy" },
      {
        type: "question",
        requestId: "query-2",
        title: "Which?",
        questions: [{ id: "q", prompt: "Which one?", options: [], allowMultiple: false }],
      },
      {
        type: "question-answer",
        requestId: "query-2",
        outcome: "no-input-surface",
        reason: "Nobody can be asked: decide by yourself, and say what you have decided.",
      },
    ]);
  });
});

describe("a turn that is stopped", () => {
  it("ends as cancelled, and its stream is reset while the connection stays", async () => {
    const controller = new AbortController();
    upstream = await startScriptedUpstream((run) => {
      run.update({ case: "textDelta", value: { text: "Half" } });
    });
    const seen: LaneEntry[] = [];
    for await (const entries of pullTurn(bench.lane(upstream.url), bench.request(), controller.signal)) {
      seen.push(...entries);
      controller.abort();
    }
    expect(storyOf(seen.map(({ event }) => event))).toEqual(["Half", "cancelled"]);
    await upstream.runs[0]?.closed;
    expect([upstream.runs[0]?.stream.rstCode, upstream.sessions.size]).toEqual([8, 1]);
  });

  it("whose entries are not taken resets its stream, too, and rejects with the reason", async () => {
    upstream = await startScriptedUpstream((run) => {
      run.update({ case: "textDelta", value: { text: "Half" } });
    });
    const full = (): never => {
      throw new Error("The disk is full");
    };
    await expect(bench.lane(upstream.url).runTurn(bench.request(), full, unstopped())).rejects.toThrow("disk is full");
    await upstream.runs[0]?.closed;
  });

  it("before it began sends nothing", async () => {
    upstream = await startScriptedUpstream(saysHello);
    const stopped = AbortSignal.abort();
    expect(storyOf(await collectTurn(pullTurn(bench.lane(upstream.url), bench.request(), stopped)))).toEqual([
      "cancelled",
    ]);
    expect([upstream.runs.length, upstream.connections()]).toEqual([0, 0]);
  });
});

describe("what the user says while a turn runs", () => {
  type State = "delivered" | "queuedForNextTurn" | "rejected";

  const steered = async (...states: readonly ("queued" | State)[]) => {
    let said: unknown;
    upstream = await startScriptedUpstream(async (run) => {
      run.update({ case: "textDelta", value: { text: "Working." } });
      const message = await run.next();
      if (message?.case !== "conversationAction" || message.value.action.case !== "injectContextAction") return;
      const { injectionId, expectedRunId, payload } = message.value.action.value;
      said = { expectedRunId, text: payload.case === "userContext" ? payload.value.userMessage?.text : undefined };
      for (const state of states)
        run.update({
          case: "contextInjectionState",
          value: { injectionId, state: { state: { case: state, value: {} } } },
        });
      saysHello(run);
    });
    const lane = bench.lane(upstream.url);
    let outcome: string | undefined;
    for await (const entries of pullTurn(lane, bench.request(), unstopped()))
      if (entries.some(({ event }) => event.type === "text-delta") && outcome === undefined) {
        outcome = "waiting";
        void lane.steer?.("turn-1", "Look left").then(
          () => {
            outcome = "heard";
          },
          ({ code }: { code: string }) => {
            outcome = code;
          },
        );
      }
    return { said, outcome: outcome as string | undefined, runId: upstream.runs[0]?.request.runId };
  };

  it("reaches the agent in its run, and is known to have", async () => {
    const { said, outcome, runId } = await steered("queued", "delivered");
    expect([said, outcome]).toEqual([{ expectedRunId: runId, text: "Look left" }, "heard"]);
  });

  it.each(["queuedForNextTurn", "rejected"] as const)("and the upstream %s did not reach it", async (state) => {
    expect((await steered(state)).outcome).toBe("unsupported");
  });

  it("cannot be said to a turn that is not there", async () => {
    upstream = await startScriptedUpstream(saysHello);
    await expect(bench.lane(upstream.url).steer?.("turn-9", "Hello")).rejects.toMatchObject({ code: "unsupported" });
  });
});
