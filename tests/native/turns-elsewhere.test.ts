import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { NativeClient, SessionView } from "@caret/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { eventOf } from "./await-event.ts";
import { MortalGateway } from "./mortal-gateway.ts";
import { caretCommand } from "./run-in-terminal.ts";

let gateway: MortalGateway;
let caret: NativeClient;
let session: SessionView;
let terminal: ChildProcess;
beforeAll(async () => {
  gateway = await MortalGateway.start({ turns: [[{ text: "Still here. " }, { hang: true }]] });
  caret = gateway.client();
});
afterAll(() => gateway.remove());

/** A turn that `caret run` has begun in the session, and that goes on for ever. */
beforeEach(async () => {
  session = await caret.createSession({ permission: "full" });
  const args = [caretCommand, "run", "--lane", "sim", "--quiet", "--session", session.id, "Go on"];
  terminal = spawn(process.execPath, args, {
    cwd: gateway.home.workspace,
    env: gateway.home.environment(),
    stdio: "ignore",
  });
  await eventOf(caret, session.id, "text-delta");
});
afterEach(async () => {
  if (terminal.exitCode !== null || terminal.signalCode !== null) return;
  terminal.kill("SIGKILL");
  await once(terminal, "exit");
});

it("a turn that a terminal runs says so, and neither stop nor steer pretend to reach it", async () => {
  const { status } = await caret.getSession(session.id);
  const turnId = status.kind === "running" ? status.turnId : "";
  expect(status).toMatchObject({ kind: "running", elsewhere: true });
  const refused = {
    code: "session-busy",
    message: `Another process runs the turn ${turnId}`,
    fix: "Stop it where it was started: with Ctrl-C in its terminal.",
  };
  await expect(caret.cancelTurn(session.id, turnId)).rejects.toMatchObject(refused);
  await expect(caret.steerTurn(session.id, turnId, "Hello?")).rejects.toMatchObject(refused);
});

it("a turn whose terminal was killed is ended by the gateway, unasked", async () => {
  terminal.kill("SIGKILL");
  const { event } = await eventOf(caret, session.id, "turn-end");
  expect(event.outcome).toMatchObject({ kind: "failed", error: { code: "interrupted" } });
  expect((await caret.getSession(session.id)).status).toMatchObject({ kind: "ended", outcome: "failed" });
});
