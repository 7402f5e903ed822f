import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { EventEnvelope, NativeClient } from "@caret/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventOf, playTurn } from "./await-event.ts";
import { MortalGateway } from "./mortal-gateway.ts";

const exec = (command: string) => ({ tool: { server: "caret", name: "exec", args: { command } } });
const CLEAN = "rm -rf ./dist && git clean -fdx";

let gateway: MortalGateway;
let caret: NativeClient;
beforeAll(async () => {
  gateway = await MortalGateway.start({
    turns: [
      { when: "tests", steps: [exec("node --test"), { text: "Done." }] },
      { when: "Clean up", steps: [exec(CLEAN), { text: "Done." }] },
    ],
  });
  caret = gateway.client();
});
afterAll(() => gateway.remove());

const decisions = (events: readonly EventEnvelope[]): readonly string[] =>
  events.flatMap(({ event }) => (event.type === "approval-answer" ? [`${event.decision} by ${event.by}`] : []));

describe("always, for this session", () => {
  it("is for the command that was shown, is listed, and is not for a dangerous one", async () => {
    const { id } = await caret.createSession({});
    await caret.startTurn(id, { prompt: "Run the tests" });
    const first = await eventOf(caret, id, "approval-request");
    expect(first.event.grants?.map(({ id: offer, pattern }) => ({ offer, pattern }))).toEqual([
      { offer: "1", pattern: "node --test" },
      { offer: "2", pattern: "node --test *" },
    ]);
    const { granted } = await caret.answerApproval(id, first.event.requestId, { decision: "approved", grant: "1" });
    await eventOf(caret, id, "turn-end", first.seq);
    const again = decisions(await playTurn(caret, id, "Run the tests again"));

    mkdirSync(join(gateway.home.workspace, "dist"));
    const { firstSeq } = await caret.startTurn(id, { prompt: "Clean up the build" });
    const dangerous = await eventOf(caret, id, "approval-request", firstSeq);
    await caret.answerApproval(id, dangerous.event.requestId, { decision: "rejected", reason: "Keep the logs" });
    await eventOf(caret, id, "turn-end", firstSeq);
    expect({
      again,
      danger: dangerous.event.danger,
      offered: dangerous.event.grants,
      isThere: existsSync(join(gateway.home.workspace, "dist")),
      listed: await caret.listGrants(id),
    }).toEqual({
      again: ["approved by grant"],
      danger: expect.stringContaining("`rm`"),
      offered: undefined,
      isThere: true,
      listed: [{ ...granted, pattern: "node --test", label: "exactly `node --test`", uses: 1 }],
    });
  });

  it("ends when it is revoked, and with a restart; another session never had it", async () => {
    const { id } = await caret.createSession({});
    await caret.startTurn(id, { prompt: "Run the tests" });
    const { event, seq } = await eventOf(caret, id, "approval-request");
    const { granted } = await caret.answerApproval(id, event.requestId, { decision: "approved", grant: "2" });
    await eventOf(caret, id, "turn-end", seq);
    const other = await caret.createSession({});
    const listed = { here: (await caret.listGrants(id)).length, elsewhere: await caret.listGrants(other.id) };
    await caret.revokeGrant(id, granted?.id ?? "");
    const gone = await caret.revokeGrant(id, granted?.id ?? "").catch((error) => error.code);
    const { firstSeq, turnId } = await caret.startTurn(id, { prompt: "Run the tests" });
    const asked = await eventOf(caret, id, "approval-request", firstSeq);
    await caret.answerApproval(id, asked.event.requestId, { decision: "approved", grant: "1" });
    await eventOf(caret, id, "turn-end", firstSeq);
    await gateway.dieAndReturn();
    caret = gateway.client();
    expect({ listed, gone, asked: asked.turnId, after: await caret.listGrants(id) }).toEqual({
      listed: { here: 1, elsewhere: [] },
      gone: "not-found",
      asked: turnId,
      after: [],
    });
  });
});
