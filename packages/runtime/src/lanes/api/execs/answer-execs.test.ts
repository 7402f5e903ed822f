import { create, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { type ExecClientMessage, ExecServerMessageSchema } from "@caret/protocol/agent-api/exec";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolCall, ToolResult } from "../../../calls/tool-call.ts";
import type { CommandData } from "../../../calls/tool-data.ts";
import type { LaneRequest, OfferedTools } from "../../lane.ts";
import { pullTurn } from "../../testing/pull-turn.ts";
import { type ApiBench, collectTurn, createApiBench, quickRetries, storyOf, unstopped } from "../testing/api-bench.ts";
import {
  type ScriptedRun,
  type ScriptedUpstream,
  saysHello,
  startScriptedUpstream,
} from "../testing/scripted-upstream.ts";

let bench: ApiBench;
let upstream: ScriptedUpstream;
beforeEach(() => {
  bench = createApiBench();
});
afterEach(async () => {
  await bench.close();
  await upstream.close();
});

const execFields = ExecServerMessageSchema.oneofs.find(({ name }) => name === "message")?.fields ?? [];

type ExecInit = Extract<Parameters<ScriptedRun["send"]>[0], { case: "execServerMessage" }>["value"];

const ask = (run: ScriptedRun, value: ExecInit): void => run.send({ case: "execServerMessage", value });

/** The client's messages about one exec, until it is closed. */
async function answersOf(run: ScriptedRun, closes = true): Promise<readonly (ExecClientMessage["message"] | string)[]> {
  const answers: (ExecClientMessage["message"] | string)[] = [];
  for (;;) {
    const message = await run.next();
    if (message?.case === "execClientMessage") answers.push(message.value.message);
    if (message?.case !== "execClientControlMessage") continue;
    const { message: control } = message.value;
    if (control.case === "heartbeat") continue;
    if (control.case === "throw") answers.push(`thrown: ${control.value.error}`);
    if (control.case === "streamClose" || !closes) return answers;
  }
}

async function play(script: (run: ScriptedRun, index: number) => unknown, request: Partial<LaneRequest> = {}) {
  upstream = await startScriptedUpstream(async (run, index) => {
    await script(run, index);
    saysHello(run);
  });
  const retries = { ...quickRetries, execHeartbeatMs: 20 };
  const events = await collectTurn(
    pullTurn(bench.lane(upstream.url, { retries }), bench.request(request), unstopped()),
  );
  return storyOf(events);
}

function offeredBy(
  owner: OfferedTools["owner"],
  call: OfferedTools["call"],
  names: readonly string[] = ["weather"],
): OfferedTools {
  return {
    owner,
    tools: names.map((name) => ({ name, description: name, inputSchema: { type: "object", properties: {} } })),
    system: "Be brief.",
    realWorkspace: "/somewhere",
    call,
    announce: () => undefined,
  };
}

const named = (field: DescField): string => field.localName;

describe("an operation that the upstream asks for", () => {
  it.each(execFields.map((field) => [named(field), field] as const))(
    "%s is answered at once in its own terms, and closed",
    async (name, field) => {
      const value = create(field.message as DescMessage);
      let answers: readonly unknown[] = [];
      await play(async (run) => {
        ask(run, { id: 7, message: { case: name, value } as ExecInit["message"] & object });
        answers = await answersOf(run, name !== "gitDiffRequest");
      });
      const [answer] = answers as readonly { readonly case: string }[];
      const expected = name === "gitDiffRequest" ? /^thrown: / : expectedResult(name);
      expect(typeof answer === "string" ? answer : answer?.case).toMatch(expected);
    },
  );

  /** The result of `readArgs` is `readResult`, and so on; a few have names of their own. */
  function expectedResult(name: string): RegExp {
    if (name === "shellStreamArgs") return /^shellStream$/;
    return new RegExp(`^${name.replace(/Args$/, "")}Result$`);
  }

  it("that nobody knows is thrown, and closed", async () => {
    let answers: readonly unknown[] = [];
    await play(async (run) => {
      const unknown = create(ExecServerMessageSchema, { id: 3 });
      unknown.$unknown = [{ no: 1000, wireType: 2, data: new Uint8Array([0]) }];
      run.send({ case: "execServerMessage", value: unknown });
      answers = await answersOf(run);
    });
    expect(answers).toEqual(["thrown: This client does not know the operation"]);
  });

  it("asks for the context: the rules and tools of the turn", async () => {
    let context: unknown;
    await play(
      async (run) => {
        ask(run, { id: 1, message: { case: "requestContextArgs", value: {} } });
        [context] = await answersOf(run);
      },
      { offered: offeredBy("client", async () => ({ text: "", isError: false })) },
    );
    expect(context).toMatchObject({
      case: "requestContextResult",
      value: {
        result: {
          value: {
            requestContext: {
              env: { workspacePaths: ["/somewhere"], shell: "/bin/sh", timeZone: "UTC" },
              tools: [{ name: "caret-weather", providerIdentifier: "caret", toolName: "weather" }],
              cloudRule: expect.stringMatching(/Use only the tools of the MCP server `caret`.*\n\nBe brief\./s),
            },
          },
        },
      },
    });
  });
});

const weather = (id: number, toolCallId: string): ExecInit => ({
  id,
  message: {
    case: "mcpArgs",
    value: { name: "caret-weather", toolName: "weather", providerIdentifier: "caret", toolCallId },
  },
});

describe("a call of an offered tool", () => {
  it("waits with its stream for the answer, with signs of life, and gets it", async () => {
    const asked: ToolCall[] = [];
    const { promise, resolve } = Promise.withResolvers<ToolResult>();
    const call = (made: ToolCall): Promise<ToolResult> => {
      asked.push(made);
      return promise;
    };
    const beats: number[] = [];
    let answer: unknown;
    const story = await play(
      async (run) => {
        ask(run, weather(5, "call-1"));
        while (beats.length < 3) {
          const message = await run.next();
          if (message?.case === "execClientControlMessage" && message.value.message.case === "heartbeat")
            beats.push(message.value.message.value.id);
        }
        resolve({ text: "sunny", isError: false });
        answer = await answersOf(run);
      },
      { offered: offeredBy("client", call) },
    );
    expect([story, asked, beats]).toEqual([["Hello.", "completed"], [{ name: "weather", input: {} }], [5, 5, 5]]);
    expect(answer).toMatchObject([
      {
        case: "mcpResult",
        value: {
          result: { case: "success", value: { isError: false, content: [{ content: { value: { text: "sunny" } } }] } },
        },
      },
    ]);
  });

  it("gets the images of its result beside the text", async () => {
    const image = { mediaType: "image/png", data: Buffer.from([137, 80, 0, 255]).toString("base64") };
    const call = async (): Promise<ToolResult> => ({ text: "It shows:", images: [image], isError: false });
    let answer: unknown;
    await play(
      async (run) => {
        ask(run, weather(5, "call-1"));
        answer = await answersOf(run);
      },
      { offered: offeredBy("client", call) },
    );
    const [given] = answer as readonly ExecClientMessage["message"][];
    const result = given?.case === "mcpResult" ? given.value.result : undefined;
    const items = result?.case === "success" ? result.value.content.map(({ content }) => content) : [];
    const [text, picture] = items;
    expect([
      text?.case === "text" && text.value.text,
      picture?.case === "image" && [picture.value.mimeType, Buffer.from(picture.value.data).toString("base64")],
    ]).toEqual(["It shows:", ["image/png", image.data]]);
  });

  it("that a resumed stream asks for again is made once, and answered there", async () => {
    let made = 0;
    const { promise, resolve } = Promise.withResolvers<ToolResult>();
    const call = (): Promise<ToolResult> => {
      made += 1;
      return promise;
    };
    let answers: readonly unknown[] = [];
    const story = await play(
      async (run, index) => {
        ask(run, weather(1, "call-1"));
        if (index > 0) {
          resolve({ text: "sunny", isError: false });
          answers = await answersOf(run);
          return;
        }
        run.send({ case: "conversationCheckpointUpdate", value: {} });
        await new Promise(setImmediate);
        run.stream.session?.destroy();
        await run.closed;
      },
      { offered: offeredBy("client", call) },
    );
    expect([story, made, answers.length]).toEqual([["reconnect", "Hello.", "completed"], 1, 1]);
  });

  it("is called off when the upstream no longer waits, and when the turn ends", async () => {
    const signals: AbortSignal[] = [];
    const call = (_: ToolCall, signal: AbortSignal): Promise<ToolResult> => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const { promise: bothMade, resolve } = Promise.withResolvers<void>();
    const noting: OfferedTools["call"] = (made, signal) => {
      const answer = call(made, signal);
      if (signals.length === 2) resolve();
      return answer;
    };
    await play(
      async (run) => {
        ask(run, weather(1, "call-1"));
        ask(run, weather(2, "call-2"));
        await bothMade;
        run.send({
          case: "execServerControlMessage",
          value: { message: { case: "abort", value: { id: 1 } } },
        });
      },
      { offered: offeredBy("client", noting) },
    );
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it("that is not offered is answered with the names of those that are", async () => {
    let answers: readonly unknown[] = [];
    await play(
      async (run) => {
        ask(run, { id: 1, message: { case: "mcpArgs", value: { name: "caret-tides", toolName: "tides" } } });
        answers = await answersOf(run);
      },
      { offered: offeredBy("client", async () => ({ text: "", isError: false })) },
    );
    expect(answers).toMatchObject([
      { value: { result: { case: "toolNotFound", value: { name: "tides", availableTools: ["weather"] } } } },
    ]);
  });
});

describe("a native operation of a turn whose tools the gateway runs", () => {
  const run = async (exec: ExecInit["message"], result: ToolResult) => {
    const asked: ToolCall[] = [];
    let answers: readonly unknown[] = [];
    await play(
      async (scripted) => {
        ask(scripted, { id: 1, message: exec as ExecInit["message"] & object });
        answers = await answersOf(scripted);
      },
      {
        offered: offeredBy("gateway", async (call) => {
          asked.push(call);
          return result;
        }),
      },
    );
    return { asked, answers };
  };

  it("runs a command by `exec`, and answers with its data, not with its words", async () => {
    const exec = { case: "shellArgs", value: { command: "ls", workingDirectory: "/w", timeout: 5000 } } as const;
    const { asked, answers } = await run(exec, { text: "words", isError: false, data: ended({ output: "a.txt\n" }) });
    expect(asked).toEqual([{ name: "exec", input: { command: "ls", cwd: "/w", timeoutMs: 5000 }, exact: {} }]);
    expect(answers).toMatchObject([
      { case: "shellResult", value: { result: { case: "success", value: { stdout: "a.txt\n", exitCode: 0 } } } },
    ]);
  });

  it("streams the output of a command that failed, with its exit code", async () => {
    const exec = { case: "shellStreamArgs", value: { command: "false" } } as const;
    const data = ended({ output: "no", exitCode: 2 });
    const { answers } = await run(exec, { text: "no\n[exit code 2]", isError: true, data });
    expect(answers).toMatchObject([
      { value: { event: { case: "start" } } },
      { value: { event: { case: "stdout", value: { data: "no" } } } },
      { value: { event: { case: "exit", value: { code: 2, aborted: false } } } },
    ]);
  });

  it("says of a command that was stopped what stopped it", async () => {
    const exec = { case: "shellArgs", value: { command: "sleep 9" } } as const;
    const data = ended({ output: "so far", exitCode: undefined, signal: "SIGTERM", stopped: "timeout" });
    const { answers } = await run(exec, { text: "so far", isError: true, data });
    const value = { stdout: "so far", exitCode: 143, signal: "SIGTERM", aborted: true, abortReason: 2 };
    expect(answers).toMatchObject([{ value: { result: { case: "failure", value } } }]);
  });

  it("leaves no command running in the background, and says so", async () => {
    const exec = { case: "shellArgs", value: { command: "sleep 9", isBackground: true } } as const;
    const { asked, answers } = await run(exec, { text: "", isError: false });
    expect(asked).toEqual([]);
    expect(answers).toMatchObject([{ value: { result: { case: "spawnError" } } }]);
  });

  it("rejects what the policy does not let run", async () => {
    const exec = { case: "writeArgs", value: { path: "/w/a", fileText: "x" } } as const;
    const { asked, answers } = await run(exec, { text: "Not allowed", isError: true, isRejected: true });
    expect(asked).toEqual([{ name: "write", input: { path: "/w/a", content: "x" }, exact: {} }]);
    expect(answers).toMatchObject([
      { case: "writeResult", value: { result: { case: "rejected", value: { path: "/w/a", reason: "Not allowed" } } } },
    ]);
  });

  it("puts words for the model beside the data, for an upstream that takes them", async () => {
    const data = { kind: "file", bytes: Buffer.from("a\n"), fileSize: 2, totalLines: 2, isPart: false } as const;
    const result: ToolResult = { text: "a", isError: false, data, aside: "You go in circles." };
    const seen: unknown[] = [];
    for (const acceptHookAdditionalContexts of [true, false]) {
      await play(
        async (scripted) => {
          const readArgs = { case: "readArgs", value: { path: "/w/a" } } as const;
          ask(scripted, { id: 1, message: readArgs, acceptHookAdditionalContexts });
          const message = await scripted.next();
          if (message?.case === "execClientMessage") seen.push(message.value);
        },
        { offered: offeredBy("gateway", async () => result) },
      );
      await upstream.close();
    }
    const content = { value: { result: { value: { output: { value: "a\n" } } } } };
    expect(seen).toMatchObject([
      { message: content, hookAdditionalContexts: [{ content: "You go in circles." }] },
      { message: content, hookAdditionalContexts: [] },
    ]);
  });
});

function ended(more: Partial<CommandData>): CommandData {
  return { kind: "command", output: "", exitCode: 0, signal: undefined, ...more };
}
