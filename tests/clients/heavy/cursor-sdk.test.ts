import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ExecServerMessageSchema } from "@caret/protocol/agent-api/exec";
import type { ScenarioInput } from "@caret/simulator";
import { createSelfSigned, startUpstream, type Upstream } from "@caret/simulator/upstream";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { installPackages } from "../loops/client-package.ts";
import type { SdkJob, SdkReport } from "./cursor-sdk-main.ts";
import { answeredQueries, everyExec, inWorkspace } from "./every-exec.ts";

const tls = createSelfSigned();
let place: string;
let directory: string;
let upstream: Upstream | undefined;

beforeAll(async () => {
  place = await installPackages(["@cursor/sdk@1.0.32"]);
});
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-sdk-"));
  mkdirSync(join(directory, "workspace"));
  writeFileSync(join(directory, "ca.pem"), tls.cert);
});
afterEach(async () => {
  await upstream?.close();
  rmSync(directory, { recursive: true });
});

/** How the SDK reaches the upstream: `https` means HTTP/2, `http` HTTP/1.1 unless the server's configuration says otherwise. */
const ways = {
  "HTTP/2 over TLS": { url: ({ secureUrl }: Upstream) => secureUrl, path: "Run", version: "2.0" },
  "HTTP/2 without TLS": { url: ({ url }: Upstream) => url, path: "Run", version: "2.0", http2: "FORCE_ALL_ENABLED" },
  "HTTP/1.1": { url: ({ url }: Upstream) => url, path: "RunSSE", version: "1.1" },
} as const;
type Way = keyof typeof ways;

type Job = Omit<SdkJob, "place" | "cwd">;

/** Starts an upstream with the scenario, and lets the SDK work against it in a process of its own. */
async function play(way: Way, job: Job, scenario: ScenarioInput = {}): Promise<SdkReport> {
  const { url, ...rest } = ways[way];
  const http2 = "http2" in rest ? { http2: rest.http2 } : {};
  upstream = await startUpstream({ tls, scenario: { ...scenario, upstream: { ...scenario.upstream, ...http2 } } });
  const main = join(import.meta.dirname, "cursor-sdk-main.ts");
  const full: SdkJob = { ...job, place, cwd: join(directory, "workspace") };
  const env = {
    PATH: process.env["PATH"],
    HOME: directory,
    CURSOR_BACKEND_URL: url(upstream),
    NODE_EXTRA_CA_CERTS: join(directory, "ca.pem"),
  };
  const { stdout } = await promisify(execFile)(process.execPath, [main, JSON.stringify(full)], { env, cwd: directory });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as SdkReport;
}

type Json = Readonly<Record<string, unknown>>;

/** What the SDK sent during its runs. */
const sent = () =>
  (upstream?.records ?? []).filter(({ event }) => event === "message").map(({ message }) => message as Json);
const runRequests = () => sent().flatMap((message) => ("runRequest" in message ? [message["runRequest"] as Json] : []));
const results = () =>
  sent().flatMap((message) => {
    const { id: _id, localExecutionTimeMs: _time, ...arm } = (message["execClientMessage"] ?? {}) as Json;
    return Object.keys(arm);
  });
const requests = () =>
  (upstream?.records ?? [])
    .filter(({ event }) => event === "request")
    .map(({ path }) => String(path).split("/").at(-1) ?? "");

/** The arms with which the SDK answered what it was asked by name. */
const answers = (event: "exec" | "query") =>
  (upstream?.records ?? [])
    .filter((record) => record["event"] === event)
    .map(({ answer }) => {
      const { kind, result } = answer as { readonly kind?: string; readonly result?: Json };
      return kind === "thrown" ? kind : Object.keys(result ?? (answer as Json))[0];
    });

describe.each(Object.keys(ways) as Way[])("the official SDK over %s", (way) => {
  it("gets text, thinking and usage", async () => {
    const usage = { inputTokens: 120, outputTokens: 34, cacheReadTokens: 100, cacheWriteTokens: 5 };
    const report = await play(
      way,
      { prompts: ["hi"] },
      { turns: [[{ thinking: "Hm, yes." }, { text: "Hello you." }, { usage }]] },
    );
    expect(report).toEqual({
      results: [{ status: "finished", result: "Hello you.", usage: { ...usage, totalTokens: 259 } }],
      said: "Hello you.",
      thought: "Hm, yes.",
      calls: [],
    });
    const { path, version } = ways[way];
    const runs = (upstream?.records ?? []).filter((record) => String(record["path"]).endsWith(`/${path}`));
    expect(runs.map(({ httpVersion }) => httpVersion)).toEqual([version]);
  });

  it("goes on from the checkpoint of its first turn", async () => {
    const report = await play(way, { prompts: ["My name is Ada", "What is my name?"] });
    expect(report.results.map(({ status }) => status)).toEqual(["finished", "finished"]);
    expect(report.results[1]?.result).toContain("Ada");
    const states = runRequests().map(({ conversationState }) => conversationState as Json);
    expect(states[0]).toEqual({});
    expect(states[1]).toMatchObject({
      rootPromptMessagesJson: [expect.any(String), expect.any(String)],
      turns: [expect.any(String)],
    });
    expect(JSON.stringify(sent())).toContain("getBlobResult");
  });

  it("runs its own tool when the model calls it", async () => {
    const report = await play(way, { prompts: ['Call weather with {"city":"Paris"}'] });
    expect(report.results[0]?.result).toContain("Sunny in Paris");
    expect(report.calls.at(-1)).toEqual({ name: "mcp", status: "completed" });
    expect(results()).toContain("mcpResult");
  });

  it("reads, runs and writes in its workspace", async () => {
    writeFileSync(join(directory, "workspace", "notes.txt"), "alpha\nbeta\n");
    const prompt = "Read notes.txt, then run `wc -l notes.txt`, then write the number into count.txt";
    const report = await play(way, { prompts: [prompt] });
    expect(readFileSync(join(directory, "workspace", "count.txt"), "utf8").trim()).toBe("2");
    expect(report.said).toContain("alpha");
    expect([...new Set(results())]).toEqual(["requestContextResult", "readResult", "shellStream", "writeResult"]);
  });

  it("reports the details of an error, and tries once only", async () => {
    const detail = {
      error: "ERROR_FREE_USER_USAGE_LIMIT",
      title: "Limit reached.",
      detail: "Get more.",
      isRetryable: false,
    };
    const error = { code: "resource_exhausted", detail } as const;
    const report = await play(way, { prompts: ["hi"] }, { turns: [[{ text: "Half" }, { wire: { error, times: 9 } }]] });
    expect(report.results).toEqual([{ status: "error", error: { message: "Limit reached. Get more." } }]);
    expect(runRequests()).toHaveLength(1);
  });

  it("resumes from the checkpoint after the connection was lost", async () => {
    const turns: ScenarioInput["turns"] = [
      [{ text: "Half" }, { wire: { checkpoint: true } }, { wire: { end: true } }, { text: " and whole." }],
    ];
    const report = await play(way, { prompts: ["hi"] }, { turns });
    expect(report.results).toMatchObject([{ status: "finished", result: "Half and whole." }]);
    expect(runRequests().map(({ action }) => Object.keys(action as Json))).toEqual([
      ["userMessageAction"],
      ["resumeAction"],
    ]);
  });

  it("repeats the action when the connection was lost before a checkpoint", async () => {
    const turns: ScenarioInput["turns"] = [[{ wire: { status: 503 } }, { text: "Whole." }]];
    const report = await play(way, { prompts: ["hi"] }, { turns });
    expect(report.results).toMatchObject([{ status: "finished", result: "Whole." }]);
    expect(runRequests().map(({ action }) => Object.keys(action as Json))).toEqual([
      ["userMessageAction"],
      ["userMessageAction"],
    ]);
  });
});

describe("the official SDK", () => {
  it("asks at its start what the upstream answers", async () => {
    await play("HTTP/2 over TLS", { prompts: ["hi"] }, { turns: [[{ text: "Hello." }]] });
    const asked = requests();
    expect([...new Set(asked.slice(0, asked.indexOf("Run") + 1))]).toEqual([
      "exchange_user_api_key",
      "GetUserPrivacyMode",
      "models",
      "GetServerConfig",
      "BootstrapStatsig",
      "GetTeamAdminSettingsOrEmptyIfNotInTeam",
      "Run",
    ]);
    expect((upstream?.records ?? []).filter(({ event }) => event === "failure")).toEqual([]);
  });

  it("answers every exec of the schema, and every query that needs no person", async () => {
    writeFileSync(join(directory, "workspace", "notes.txt"), "alpha\n");
    const execs = everyExec.map(([exec]) => ({ wire: { exec: inWorkspace(exec, join(directory, "workspace")) } }));
    const queries = answeredQueries.map(([query]) => ({ wire: { query } }));
    const turns: ScenarioInput["turns"] = [
      { when: "^subagent", steps: [{ text: "I am the subagent." }] },
      { when: "everything", steps: [...execs, ...queries, { text: "All asked." }] },
    ];
    const report = await play("HTTP/2 without TLS", { prompts: ["Ask everything"] }, { turns });
    expect(report.results).toMatchObject([{ status: "finished", result: "All asked." }]);
    const asked = everyExec.map(([exec]) => Object.keys(exec)[0] ?? "");
    expect(asked.sort()).toEqual(ExecServerMessageSchema.oneofs[0]?.fields.map(({ jsonName }) => jsonName).sort());
    expect(answers("exec")).toEqual(everyExec.map(([, answer]) => answer));
    expect(answers("query")).toEqual(answeredQueries.map(([, answer]) => answer));
  });

  it("sends an image with its bytes", async () => {
    const images = [{ data: Buffer.from("picture").toString("base64"), mimeType: "image/png" }];
    await play("HTTP/2 over TLS", { prompts: [{ text: "Look", images }] }, { turns: [[{ text: "Seen." }]] });
    expect(runRequests()).toMatchObject([
      {
        action: {
          userMessageAction: { userMessage: { selectedContext: { selectedImages: [{ data: images[0]?.data }] } } },
        },
      },
    ]);
  });

  it("ends its stream when it is cancelled", async () => {
    const turns: ScenarioInput["turns"] = [[{ text: "Working" }, { hang: true }]];
    const report = await play("HTTP/2 over TLS", { prompts: ["hi"], cancels: true }, { turns });
    expect(report.results).toMatchObject([{ status: "cancelled" }]);
  });

  it("is heard while its turn runs", async () => {
    const turns: ScenarioInput["turns"] = [[{ text: "One. " }, { delay: 3_000 }, { text: "Two." }]];
    const report = await play("HTTP/2 over TLS", { prompts: ["hi"], steers: "Also this" }, { turns });
    expect(report).toMatchObject({ steered: "complete_delivered", said: "One. Two." });
  });

  it.each([
    [{ wire: { compress: "gzip" } }, "Fine."],
    [{ wire: { compress: "br" } }, "Fine."],
    [{ wire: { chunkBytes: 1 } }, "Fine."],
    [{ wire: { unknown: "update" } }, "Fine."],
    [{ wire: { goaway: "NO_ERROR" } }, "Fine."],
    [{ wire: { goaway: "NO_ERROR", lastStreamId: 0 } }, "Fine."],
    [{ wire: { reset: "REFUSED_STREAM" } }, "Fine."],
  ] as const)("finishes in spite of %j", async (step, result) => {
    const report = await play("HTTP/2 without TLS", { prompts: ["hi"] }, { turns: [[step, { text: "Fine." }]] });
    expect(report.results).toMatchObject([{ status: "finished", result }]);
  });
});
