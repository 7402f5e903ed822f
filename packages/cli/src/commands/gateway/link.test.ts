import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { AboutView, EventEnvelope, SessionView } from "@caret/protocol";
import { qrLines } from "@caret/web/qr";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadHostConfig } from "../../config/config-flags.ts";
import type { Host } from "../../host/host.ts";
import { type RunningGateway, startGateway } from "../../serve/start-gateway.ts";
import { tryCommand } from "../testing/try-command.ts";
import { addLinkCommand } from "./link.ts";
import { readyLines } from "./ready-lines.ts";
import { addTokenCommand } from "./token.ts";

/** A complete gateway over the simulated agent, as in `caret serve`. */
let directory: string;
let gateway: RunningGateway;
let host: Host;
let trial: { cwd: string; env: Record<string, string> };

beforeAll(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-link-")));
  const env = {
    PATH: process.env["PATH"] ?? "",
    CARET_LANE: "sim",
    CARET_DATA_DIR: join(directory, "data"),
    CARET_SERVER_PORT: "0",
  };
  trial = { cwd: directory, env };
  host = {
    argv: [],
    command: "caret",
    env,
    cwd: directory,
    home: directory,
    platform: process.platform,
    uid: process.getuid?.(),
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    onSignal: () => () => undefined,
  };
  const { config } = loadHostConfig(host, {});
  gateway = await startGateway({
    host,
    config,
    configFiles: [],
    workspace: directory,
    keepsPort: true,
    settings: {},
  });
});
afterAll(async () => {
  await gateway.close({ limitMs: 0, onWait: async () => undefined });
  rmSync(directory, { recursive: true });
});

async function signIn(link: string): Promise<Record<string, string>> {
  const response = await fetch(`${gateway.url}/api/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: link.split("/#/sign-in/")[1] }),
  });
  const { pageKey } = (await response.json()) as { pageKey: string };
  const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";", 1);
  return { cookie, "x-caret-page": pageKey, "content-type": "application/json" };
}

async function ask<Answer>(headers: Record<string, string>, path: string, body?: object): Promise<Answer> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return (await (await fetch(`${gateway.url}${path}`, { ...init, headers })).json()) as Answer;
}

describe("caret link", () => {
  it("prints a link of the running gateway, and nothing else", async () => {
    const { code, stdout } = await tryCommand(addLinkCommand, ["link"], trial);
    expect({
      code,
      isLinkToSignIn: stdout.startsWith(`${gateway.url}/#/sign-in/`),
      hasMoreLines: stdout.trim().includes("\n"),
    }).toEqual({ code: 0, isLinkToSignIn: true, hasMoreLines: false });
  });

  it("prints the link under the phone's address, and the code of that very link", async () => {
    const base = "https://desk.tailnet.example";
    const { code, stdout, stderr } = await tryCommand(addLinkCommand, ["link", "--qr", "--base", base], trial);
    const url = stdout.trim();
    expect({ code, url, stderr }).toEqual({
      code: 0,
      url: expect.stringMatching(/^https:\/\/desk\.tailnet\.example\/#\/sign-in\/\S+$/),
      stderr: `caret: this link works once, for ten minutes\n${qrLines(url).join("\n")}\n`,
    });
    await expect(tryCommand(addLinkCommand, ["link", "--base", "desk"], trial)).rejects.toMatchObject({
      code: "invalid-request",
    });
  });

  it("signs a browser in, which then shows in the list of tokens and can be signed out from there", async () => {
    const { stdout } = await tryCommand(addLinkCommand, ["link", "--json"], trial);
    const halves = await signIn((JSON.parse(stdout) as { url: string }).url);
    const { tokenName } = await ask<AboutView>(halves, "/api/about");
    const listed = await tryCommand(addTokenCommand, ["token", "ls"], trial);
    await tryCommand(addTokenCommand, ["token", "revoke", tokenName], trial);
    const { status } = await fetch(`${gateway.url}/api/about`, { headers: halves });
    expect({
      isNamedAfterTheDay: /^browser-\d{4}-\d\d-\d\d-\d+$/.test(tokenName),
      isListed: listed.stdout.includes(tokenName),
      status,
    }).toEqual({ isNamedAfterTheDay: true, isListed: true, status: 401 });
  });

  it("says so where no gateway runs", async () => {
    const env = { ...trial.env, CARET_DATA_DIR: join(directory, "other") };
    await expect(tryCommand(addLinkCommand, ["link"], { ...trial, env })).rejects.toMatchObject({
      code: "not-found",
      fix: "Start one with `caret serve`.",
    });
  });

  it("says so where the gateway that ran last is gone", async () => {
    const data = mkdtempSync(join(directory, "gone-"));
    const tokenFile = join(data, "token");
    writeFileSync(tokenFile, "caret_x\n");
    const lock = { url: "http://127.0.0.1:9", pid: 1, startTime: null, version: "0", tokenFile };
    writeFileSync(join(data, "gateway.json"), JSON.stringify(lock), { mode: 0o600 });
    const env = { ...trial.env, CARET_DATA_DIR: data };
    await expect(tryCommand(addLinkCommand, ["link"], { ...trial, env })).rejects.toMatchObject({
      message: "The gateway at http://127.0.0.1:9 does not answer",
    });
  });
});

it("prints a link among the lines of a gateway that is ready, and it works", async () => {
  const [link = ""] = /http\S+\/#\/sign-in\/\S+/.exec(readyLines(host, gateway)) ?? [];
  const { defaultLane } = await ask<AboutView>(await signIn(link), "/api/about");
  expect(defaultLane).toBe("sim");
});

it("breaks what a ready gateway says between words, and leaves links, tokens and commands whole", () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 60 });
  const lines = readyLines({ ...host, env: { ...host.env, NO_COLOR: "1" }, stdout: terminal }, gateway).split("\n");
  const wide = lines.filter((line) => line.length >= 60);
  expect(wide.filter((line) => !/^ {2}(Web page|Token|Workspaces) |^ {2}curl |^ {4}-[Hd] /.test(line))).toEqual([]);
  expect(lines).toContain("                     (signs one browser in, within 10");
});

it("runs a turn for a signed-in browser and streams its events until the end", async () => {
  const halves = await signIn(gateway.newLink());
  const session = await ask<SessionView>(halves, "/api/sessions", { permission: "full" });
  await ask(halves, `/api/sessions/${session.id}/turns`, { prompt: "Say hello" });
  const leaving = new AbortController();
  const response = await fetch(`${gateway.url}/api/sessions/${session.id}/events`, {
    headers: halves,
    signal: leaving.signal,
  });
  const events: EventEnvelope[] = [];
  let rest = "";
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) events.push(JSON.parse(part.slice(part.indexOf("data: ") + 6)) as EventEnvelope);
    if (events.at(-1)?.event.type === "turn-end") break;
  }
  leaving.abort();
  expect([events.map(({ seq }) => seq), events[0]?.event.type, events.at(-1)?.event]).toEqual([
    events.map((_event, index) => index + 1),
    "turn-start",
    { type: "turn-end", outcome: { kind: "completed" } },
  ]);
});
