import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { createSelfSigned } from "@caret/simulator/upstream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endOf, playTurn } from "../turns/play-turn.ts";
import { TurnBench } from "../turns/turn-bench.ts";
import { type ApiStage, type ApiStageOptions, openApiStage } from "./api-bench.ts";

let bench: TurnBench;
let stage: ApiStage | undefined;
beforeEach(() => {
  bench = new TurnBench();
});
afterEach(async () => {
  await stage?.close();
  stage = undefined;
  await bench.remove();
});

async function play(options: ApiStageOptions, prompt = "Say hello") {
  stage = await openApiStage(bench, options);
  const { outcome, text } = await playTurn(stage.opened.engine, { prompt, workspace: bench.workspace() });
  const versions = stage.requests().filter((line) => / Run(?:SSE)?$/.test(line));
  return { end: endOf(outcome), text, versions };
}

const tls = createSelfSigned();

/** A file that holds the certificate, as a person would name it. */
function caFile(): string {
  const path = join(bench.directory, "ca.pem");
  writeFileSync(path, tls.cert);
  return path;
}

describe("The HTTP of the API lane", () => {
  test("is HTTP/2 without TLS where the server speaks it", async () => {
    expect(await play({})).toEqual({ end: "completed", text: "hello", versions: ["2.0 Run"] });
  });

  test("is HTTP/1.1 where a setting says so", async () => {
    const settings = { api: { httpVersion: "1.1" } };
    expect(await play({ settings })).toEqual({ end: "completed", text: "hello", versions: ["1.1 RunSSE"] });
  });

  test.each([
    ["FORCE_ALL_DISABLED", "1.1 RunSSE"],
    ["FORCE_BIDI_DISABLED", "1.1 RunSSE"],
    ["FORCE_ALL_ENABLED", "2.0 Run"],
    ["FORCE_BIDI_ENABLED", "2.0 Run"],
  ] as const)("is what the server's settings demand: %s means %s", async (http2, version) => {
    expect(await play({ scenario: { upstream: { http2 } } })).toMatchObject({ end: "completed", versions: [version] });
  });

  test("is HTTP/1.1 over TLS where the server offers nothing else (H-04)", async () => {
    const scenario = { upstream: { alpn: ["http/1.1" as const] } };
    const settings = { api: { caFile: caFile() } };
    expect(await play({ tls, isSecure: true, settings, scenario })).toMatchObject({
      end: "completed",
      versions: ["1.1 RunSSE"],
    });
  });

  test.runIf(isFullRun())("fails where a setting demands HTTP/2 and the server does not offer it (H-04)", async () => {
    const scenario = { upstream: { alpn: ["http/1.1" as const] } };
    const settings = { api: { caFile: caFile(), httpVersion: "2" } };
    expect(await play({ tls, isSecure: true, settings, scenario })).toMatchObject({ end: "upstream-unreachable" });
  });

  test("is HTTP/2 over TLS with a certificate that a setting trusts", async () => {
    const settings = { api: { caFile: caFile() } };
    expect(await play({ tls, isSecure: true, settings })).toEqual({
      end: "completed",
      text: "hello",
      versions: ["2.0 Run"],
    });
  });

  test("is HTTP/1.1 over TLS where a setting says so", async () => {
    const settings = { api: { caFile: caFile(), httpVersion: "1.1" } };
    expect(await play({ tls, isSecure: true, settings })).toEqual({
      end: "completed",
      text: "hello",
      versions: ["1.1 RunSSE"],
    });
  });

  test("is never used with a certificate that nobody trusts (H-03)", async () => {
    expect(await play({ tls, isSecure: true })).toEqual({ end: "upstream-unreachable", text: "", versions: [] });
  });

  test.each([
    ["a certificate for another name", createSelfSigned({ names: ["elsewhere.example"] })],
    ["a certificate that has expired", createSelfSigned({ now: () => Date.now() - 90 * 24 * 3_600_000 })],
  ])("is never used with %s, trusted or not (H-03)", async (_what, certificate) => {
    const path = join(bench.directory, "wrong.pem");
    writeFileSync(path, certificate.cert);
    const settings = { api: { caFile: path } };
    expect(await play({ tls: certificate, isSecure: true, settings })).toEqual({
      end: "upstream-unreachable",
      text: "",
      versions: [],
    });
  });

  test("goes through the HTTP bridge where a setting says so", async () => {
    expect(await play({ settings: { api: { bridge: true } } })).toEqual({
      end: "completed",
      text: "hello",
      versions: ["2.0 Run"],
    });
  });

  test("reaches nobody where nobody listens (H-02)", async () => {
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    const { end } = await play({ env: { CURSOR_AGENT_URL: `http://127.0.0.1:${port}` } });
    expect(end).toBe("upstream-unreachable");
  });
});

describe("A foreign host", () => {
  /** Not loopback by its address, and yet a listener of ours: whatever is sent arrives here. */
  const listen = async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
    const { port } = server.address() as { port: number };
    return { url: `http://0.0.0.0:${port}`, connections: () => connections, close: () => server.close() };
  };

  test.each(["CARET_API_URL", "PI_CURSOR_AGENT_URL", "CURSOR_AGENT_URL", "CURSOR_API_ENDPOINT"])(
    "in %s is refused by name, and not a byte leaves",
    async (name) => {
      const foreign = await listen();
      const { end } = await play({ env: { [name]: foreign.url } });
      expect([end, foreign.connections(), stage?.requests()]).toEqual(["invalid-config", 0, []]);
      foreign.close();
    },
  );

  test("in all other variables that clients of Cursor's know is not even looked at", async () => {
    const foreign = await listen();
    const names = ["CURSOR_API_URL", "CURSOR_BACKEND_URL", "CURSOR_WEBSITE_URL", "CURSOR_AUTH_URL", "OPENAI_BASE_URL"];
    const env = Object.fromEntries(names.map((name) => [name, foreign.url]));
    const { end } = await play({ env });
    expect([end, foreign.connections()]).toEqual(["completed", 0]);
    foreign.close();
  });
});
