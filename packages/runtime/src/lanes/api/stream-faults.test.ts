import { constants } from "node:http2";
import { connect, createServer, type Socket } from "node:net";
import type { AgentEvent } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { pullTurn } from "../testing/pull-turn.ts";
import { type ApiBench, collectTurn, createApiBench, quickRetries, storyOf, unstopped } from "./testing/api-bench.ts";
import {
  type ScriptedRun,
  type ScriptedUpstream,
  saysHello,
  startScriptedUpstream,
  type UpdateInit,
} from "./testing/scripted-upstream.ts";
import { createUpstreamLinks } from "./transport/upstream-link.ts";

let bench: ApiBench;
let upstream: ScriptedUpstream;
beforeEach(() => {
  bench = createApiBench();
});
afterEach(async () => {
  await bench.close();
  await upstream?.close();
});

const says = (text: string): UpdateInit => ({ case: "textDelta", value: { text } });
const checkpoint = { case: "conversationCheckpointUpdate", value: { agentType: "saved" } } as const;

type Step = (run: ScriptedRun) => unknown;

/** Plays one script per run, repeating the last one. */
async function play(...scripts: readonly [Step, ...Step[]]): Promise<readonly string[]> {
  return await playUntilStalled(20_000, ...scripts);
}

/** The same with a run ended by a silence of `stallMs`: a busy machine is silent as well, so only tests of silence make it short. */
async function playUntilStalled(stallMs: number, ...scripts: readonly [Step, ...Step[]]): Promise<readonly string[]> {
  return storyOf(await eventsOf(stallMs, ...scripts));
}

async function eventsOf(stallMs: number, ...scripts: readonly [Step, ...Step[]]): Promise<readonly AgentEvent[]> {
  upstream = await startScriptedUpstream((run, index) => (scripts[index] ?? scripts.at(-1))?.(run));
  const lane = bench.lane(upstream.url, { retries: { ...quickRetries, stallMs } });
  return await collectTurn(pullTurn(lane, bench.request(), unstopped()));
}

/** Lets pending writes go out first. */
const flushed = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a stream that breaks off before anything was said", () => {
  it.each([
    ["is refused (H-08)", (run: ScriptedRun) => run.stream.close(constants.NGHTTP2_REFUSED_STREAM)],
    ["is reset (H-09)", (run: ScriptedRun) => run.stream.close(constants.NGHTTP2_INTERNAL_ERROR)],
    ["is asked to calm down (H-10)", (run: ScriptedRun) => run.stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)],
    ["loses its connection (H-02)", (run: ScriptedRun) => run.stream.session?.destroy()],
    ["has no end frame (H-12)", (run: ScriptedRun) => run.stream.end()],
    ["is cut within a message (H-13)", (run: ScriptedRun) => run.stream.end(Buffer.from([0, 0, 0, 0, 9, 1]))],
    ["ends without the end of the turn", (run: ScriptedRun) => run.end()],
    [
      "says that the server is unavailable (H-11)",
      (run: ScriptedRun) => run.end({ code: "unavailable", message: "overloaded" }),
    ],
  ])("and %s begins again", async (_name, fault) => {
    expect(await play(fault, saysHello)).toEqual(["retry", "Hello.", "completed"]);
    expect(upstream.runs.map(({ request }) => request.action?.action.case)).toEqual([
      "userMessageAction",
      "userMessageAction",
    ]);
  });

  it("and falls silent begins again (H-20)", async () => {
    expect(await playUntilStalled(1000, () => undefined, saysHello)).toEqual(["retry", "Hello.", "completed"]);
  });

  it("is given up after a few attempts", async () => {
    expect(await play((run) => run.stream.close(constants.NGHTTP2_REFUSED_STREAM))).toEqual([
      "retry",
      "retry",
      "retry",
      "retry",
      "retry",
      "upstream-unreachable",
    ]);
  });

  it("keeps its run id and first request id, and has a request id of its own each time", async () => {
    await play((run) => run.stream.close(constants.NGHTTP2_REFUSED_STREAM), saysHello);
    const [first, second] = upstream.runs.map(({ headers, request }) => ({
      own: headers["x-request-id"],
      original: headers["x-original-request-id"],
      run: request.runId,
    }));
    expect([first?.original, second?.original, second?.run]).toEqual([first?.own, first?.own, first?.own]);
    expect(second?.own).not.toBe(first?.own);
  });
});

describe("a stream that breaks off after something was said", () => {
  it.each([
    ["is reset (H-09)", (run: ScriptedRun) => run.stream.close(constants.NGHTTP2_INTERNAL_ERROR), "no-result"],
    ["is cancelled (H-09)", (run: ScriptedRun) => run.stream.close(constants.NGHTTP2_CANCEL), "no-result"],
    ["loses its connection (H-02)", (run: ScriptedRun) => run.stream.session?.destroy(), "upstream-unreachable"],
    ["has no end frame (H-12)", (run: ScriptedRun) => run.stream.end(), "no-result"],
    ["ends without the end of the turn", (run: ScriptedRun) => run.end(), "no-result"],
    ["is refused for its login (H-24)", (run: ScriptedRun) => run.end({ code: "unauthenticated" }), "not-logged-in"],
  ])("and %s fails, keeps what was said and is not tried again", async (_name, fault, code) => {
    const story = await play(async (run) => {
      run.update(says("Half"));
      await flushed();
      fault(run);
    }, saysHello);
    expect([story, upstream.runs.length]).toEqual([["Half", code], 1]);
  });

  it("and falls silent fails, keeps what was said and is not tried again (H-20)", async () => {
    const story = await playUntilStalled(1000, (run) => run.update(says("Half")), saysHello);
    expect([story, upstream.runs.length]).toEqual([["Half", "stalled"], 1]);
  });

  it("goes on from the checkpoint, and does not say again what was said since", async () => {
    const story = await play(
      async (run) => {
        run.update(says("One. "));
        run.send(checkpoint);
        run.update(says("Two"));
        await flushed();
        run.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      },
      (run) => {
        run.update(says("Tw"), says("o. Three."), { case: "turnEnded", value: {} });
        run.end();
      },
    );
    expect(story).toEqual(["One. ", "Two", "reconnect", ". Three.", "completed"]);
    const [, resumed] = upstream.runs;
    expect([resumed?.request.action?.action.case, resumed?.request.conversationState?.agentType]).toEqual([
      "resumeAction",
      "saved",
    ]);
  });

  it("goes on without the thoughts that it repeats, and with those that are new", async () => {
    const thinks = (text: string) => ({ case: "thinkingDelta", value: { text } }) as const;
    const events = await eventsOf(
      20_000,
      async (run) => {
        run.send(checkpoint);
        run.update(thinks("Let me see. "), thinks("It is"), { case: "thinkingCompleted", value: {} }, says("Two"));
        await flushed();
        run.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      },
      (run) => {
        run.update(
          thinks("Let me see. It is"),
          { case: "thinkingCompleted", value: {} },
          says("Two, "),
          thinks("And so"),
        );
        run.update({ case: "turnEnded", value: {} });
        run.end();
      },
    );
    const told = events.flatMap((event) => ("text" in event ? [[event.type, event.text]] : []));
    expect(told).toEqual([
      ["thinking-delta", "Let me see. "],
      ["thinking-delta", "It is"],
      ["text-delta", "Two"],
      ["text-delta", ", "],
      ["thinking-delta", "And so"],
    ]);
  });

  it("begins a block of its own where it says in other words what was half said", async () => {
    const events = await eventsOf(
      20_000,
      async (run) => {
        run.send(checkpoint);
        run.update(says("The answer is fort"));
        await flushed();
        run.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      },
      (run) => {
        run.update(says("The answer"), says(" is 42."), { case: "turnEnded", value: {} });
        run.end();
      },
    );
    const told = events.flatMap((event) => (event.type === "text-delta" ? [[event.blockId, event.text]] : []));
    expect(told).toEqual([
      ["text-1", "The answer is fort"],
      ["text-2", "The answer is 42."],
    ]);
  });

  it("is given up when resuming leads to no further checkpoint", async () => {
    const story = await play(async (run) => {
      if (upstream?.runs.length === 1) run.send(checkpoint);
      run.update(says("."));
      await flushed();
      run.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    });
    expect(story.filter((word) => word !== ".")).toEqual(["reconnect", "reconnect", "no-result"]);
  });
});

describe("an answer that breaks the protocol", () => {
  const frame = (flags: number, length: number, ...bytes: number[]): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags);
    head.writeUInt32BE(length, 1);
    return Buffer.concat([head, Buffer.from(bytes)]);
  };
  it.each([
    ["a message of four gigabytes (H-14)", frame(0, 0xffff_ffff), "too-large"],
    ["compression that was not agreed on (H-16)", frame(1, 1, 0), "protocol-violation"],
    ["reserved flags (H-17)", frame(4, 0), "protocol-violation"],
    ["a message that is no protobuf (H-19)", frame(0, 2, 0x0a, 0xff), "protocol-drift"],
    ["an end frame that is no JSON", frame(2, 1, 0x7b), "protocol-violation"],
  ])("%s fails at once", async (_name, bytes, code) => {
    expect([await play((run) => void run.stream.write(bytes)), upstream.runs.length]).toEqual([[code], 1]);
  });

  it("empty messages, and frames of one byte each, are fine (H-15)", async () => {
    const story = await play(async (run) => {
      run.stream.write(frame(0, 0));
      for (const byte of frame(0, 6, 0x0a, 4, 0x0a, 2, 0x0a, 0)) {
        run.stream.write(Buffer.from([byte]));
        await flushed();
      }
      saysHello(run);
    });
    expect(story).toEqual(["Hello.", "completed"]);
  });

  it("what comes after the end of the turn does not count (H-18)", async () => {
    const story = await play((run) => {
      run.update(says("Hello."), { case: "turnEnded", value: {} }, says("Ghost"));
      run.end({ code: "internal", message: "too late" });
    });
    expect(story).toEqual(["Hello.", "completed"]);
  });

  it("a message of unknown content is kept and counted", async () => {
    upstream = await startScriptedUpstream((run) => {
      run.stream.write(frame(0, 6, 0x0a, 4, 0xc2, 0x3e, 1, 0x41));
      saysHello(run);
    });
    const events = await collectTurn(pullTurn(bench.lane(upstream.url), bench.request(), unstopped()));
    expect(events.filter(({ type }) => type === "unknown")).toEqual([
      { type: "unknown", source: "agent-api", label: "interaction_update:1000", value: {} },
    ]);
  });
});

describe("a connection that is being closed", () => {
  it("by GOAWAY after a finished turn leaves it completed (H-05)", async () => {
    const story = await play((run) => {
      run.update(says("Hello."), { case: "turnEnded", value: {} });
      run.stream.session?.goaway(constants.NGHTTP2_NO_ERROR);
      run.end();
    });
    expect([story, upstream.runs.length]).toEqual([["Hello.", "completed"], 1]);
  });

  it("by GOAWAY in mid-stream lets the turn finish, and the next one takes another connection (H-07)", async () => {
    upstream = await startScriptedUpstream(async (run, index) => {
      run.update(says("Hello"));
      if (index === 0) run.stream.session?.goaway(constants.NGHTTP2_NO_ERROR);
      await flushed();
      run.update(says("."), { case: "turnEnded", value: {} });
      run.end();
    });
    const lane = bench.lane(upstream.url);
    const turn = async () => storyOf(await collectTurn(pullTurn(lane, bench.request(), unstopped()))).join("");
    expect([await turn(), await turn(), upstream.connections()]).toEqual(["Hello.completed", "Hello.completed", 2]);
  });

  it("by GOAWAY before the stream was processed makes it begin again on another (H-06)", async () => {
    const story = await play((run) => {
      if (upstream.runs.length > 1) return saysHello(run);
      run.stream.session?.goaway(constants.NGHTTP2_NO_ERROR, 0);
      return run.stream.close(constants.NGHTTP2_REFUSED_STREAM);
    });
    expect([story.filter((word) => word !== "retry"), upstream.connections()]).toEqual([["Hello.", "completed"], 2]);
  });
});

it("turns of one lane share a connection, and none is left when the lane is closed", async () => {
  upstream = await startScriptedUpstream(saysHello);
  const lane = bench.lane(upstream.url);
  const turns = Array.from({ length: 20 }, () => collectTurn(pullTurn(lane, bench.request(), unstopped())));
  await Promise.all(turns);
  expect([upstream.runs.length, upstream.connections()]).toEqual([20, 1]);
  await lane.close();
  await eventually(() => upstream.sessions.size === 0, "the server to see the connection closed");
});

it("a connection that answers no pings is given up, and the turn begins again on another (H-21)", async () => {
  const sockets: Socket[] = [];
  upstream = await startScriptedUpstream((run, index) => {
    if (index > 0) saysHello(run);
    // From now on nothing passes the first connection in either direction.
    else for (const socket of sockets) socket.unpipe().pause();
  });
  const proxy = createServer((client) => {
    const server = connect(Number(upstream.url.port), "127.0.0.1");
    for (const socket of [client, server]) socket.on("error", () => undefined); // cut on purpose
    sockets.push(client.pipe(server).pipe(client), server);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as { port: number };
  const links = createUpstreamLinks({ ca: undefined, pingIntervalMs: 50, pingTimeoutMs: 50 });
  const lane = bench.lane(new URL(`http://127.0.0.1:${port}`), { links });
  expect(storyOf(await collectTurn(pullTurn(lane, bench.request(), unstopped())))).toEqual([
    "retry",
    "Hello.",
    "completed",
  ]);
  for (const socket of sockets) socket.destroy();
  proxy.close();
});

it("a connection that the server gives up while the lane closes harms nobody", async () => {
  // The critical moment is within a few rounds of the event loop after the GOAWAY.
  for (let rounds = 0; rounds < 20; rounds += 1) {
    const short = await startScriptedUpstream(saysHello);
    const lane = bench.lane(short.url);
    await collectTurn(pullTurn(lane, bench.request(), unstopped()));
    for (const session of short.sessions) session.goaway(constants.NGHTTP2_NO_ERROR);
    for (let round = 0; round < rounds; round += 1) await flushed();
    await lane.close();
    await short.close();
  }
  upstream = await startScriptedUpstream(saysHello);
});

it("a server that takes no connection is given up in time (H-02)", async () => {
  const sockets: Socket[] = [];
  const blackhole = createServer((socket) => void sockets.push(socket.pause()));
  await new Promise<void>((resolve) => blackhole.listen(0, "127.0.0.1", resolve));
  const { port } = blackhole.address() as { port: number };
  const lane = bench.lane(new URL(`http://127.0.0.1:${port}`), {
    retries: { ...quickRetries, connects: 0, stallMs: 200 },
  });
  expect(storyOf(await collectTurn(pullTurn(lane, bench.request(), unstopped())))).toEqual(["stalled"]);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => blackhole.close(resolve));
});
