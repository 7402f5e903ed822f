import { create, toBinary } from "@bufbuild/protobuf";
import { Secret } from "@caret/protocol";
import { ErrorDetails_Error, ErrorDetailsSchema } from "@caret/protocol/agent-api/errors";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiCredentials } from "../../credentials/credentials.ts";
import { pullTurn } from "../testing/pull-turn.ts";
import { type ApiBench, collectTurn, createApiBench, quickRetries, storyOf, unstopped } from "./testing/api-bench.ts";
import { type Refusal, type ScriptedUpstream, saysHello, startScriptedUpstream } from "./testing/scripted-upstream.ts";

let bench: ApiBench;
let upstream: ScriptedUpstream;
beforeEach(() => {
  bench = createApiBench();
});
afterEach(async () => {
  await bench.close();
  await upstream.close();
});

async function errorOf(...refusals: readonly (Refusal | undefined)[]) {
  upstream = await startScriptedUpstream(saysHello, { refuse: (_, index) => refusals[index] ?? refusals.at(-1) });
  const lane = bench.lane(upstream.url, { retries: { ...quickRetries, connects: 0, refusals: 0 } });
  const events = await collectTurn(pullTurn(lane, bench.request(), unstopped()));
  const end = events.at(-1);
  return end?.type === "turn-end" && end.outcome.kind === "failed" ? end.outcome.error : undefined;
}

function withDetail(code: string, error: ErrorDetails_Error, details: object = {}) {
  const value = toBinary(ErrorDetailsSchema, create(ErrorDetailsSchema, { error, details }));
  return {
    code,
    message: "Error",
    details: [{ type: "aiserver.v1.ErrorDetails", value: Buffer.from(value).toString("base64").replace(/=+$/, "") }],
  };
}

describe("a request that is refused before its stream begins (H-26)", () => {
  it.each([
    [403, "policy-disabled"],
    [404, "protocol-drift"],
    [413, "too-large"],
    [429, "rate-limited"],
    [500, "upstream-unreachable"],
    [503, "upstream-unreachable"],
    [302, "upstream-error"],
  ])("with the status %i is %s", async (status, code) => {
    const headers = { location: "https://evil.example.com/", "content-type": "text/html" };
    expect(await errorOf({ status, headers, body: "<html>no</html>" })).toMatchObject({ code });
  });

  it("with a date to come back says how long to wait, and never longer than an hour", async () => {
    const refusal = { status: 429, headers: { "retry-after": "99999999" } };
    expect(await errorOf(refusal)).toEqual({
      code: "rate-limited",
      message: "Cursor limits how often it may be asked (HTTP 429)",
      retryable: true,
      fix: "Wait 3600 seconds and try again.",
      upstream: "[http 429]",
    });
  });

  it("with an error of Connect's has its code and words", async () => {
    const body = JSON.stringify({ code: "invalid_argument", message: "unknown option '--system-prompt'" });
    expect(await errorOf({ status: 400, headers: { "content-type": "application/json" }, body })).toEqual({
      code: "upstream-error",
      message: "unknown option '--system-prompt' (HTTP 400)",
      retryable: false,
      fix: "Read the upstream words: Cursor ended this turn with an error.",
      upstream: "[invalid_argument] unknown option '--system-prompt'",
    });
  });
});

describe("an error in the end frame (H-11)", () => {
  const failing = async (error: object) => {
    upstream = await startScriptedUpstream((run) => run.end(error));
    const lane = bench.lane(upstream.url, { retries: { ...quickRetries, refusals: 1 } });
    const events = await collectTurn(pullTurn(lane, bench.request(), unstopped()));
    const end = events.at(-1);
    const failure = end?.type === "turn-end" && end.outcome.kind === "failed" ? end.outcome.error : undefined;
    return { failure, runs: upstream.runs.length };
  };

  it("with the detail of a used-up allowance has the upstream's words, after one attempt", async () => {
    const details = {
      title: "Limit reached",
      detail: "Your plan's requests are used up.",
      isRetryable: false,
      buttons: [{ label: "Upgrade", action: { case: "url", value: { url: "https://cursor.com/pricing" } } }],
    };
    expect(await failing(withDetail("resource_exhausted", ErrorDetails_Error.FREE_USER_USAGE_LIMIT, details))).toEqual({
      failure: {
        code: "usage-limit",
        message: "Limit reached: Your plan's requests are used up.",
        retryable: false,
        fix: "Upgrade: https://cursor.com/pricing",
        upstream: "[resource_exhausted] Error",
      },
      runs: 1,
    });
  });

  it.each([
    ["resource_exhausted", ErrorDetails_Error.RATE_LIMITED, "rate-limited"],
    ["internal", ErrorDetails_Error.BAD_USER_API_KEY, "bad-key"],
    ["invalid_argument", ErrorDetails_Error.BAD_MODEL_NAME, "model-unknown"],
    ["permission_denied", ErrorDetails_Error.PRO_USER_ONLY, "model-unavailable"],
    ["internal", ErrorDetails_Error.CONVERSATION_TOO_LONG, "too-large"],
    ["failed_precondition", ErrorDetails_Error.OUTDATED_CLIENT, "protocol-drift"],
  ])("%s with the detail %s is %s", async (code, error, expected) => {
    const { failure } = await failing(withDetail(code, error));
    expect(failure?.code).toBe(expected);
  });

  it("of a provider is tried again, unless the detail says that this is useless", async () => {
    const passing = await failing(withDetail("resource_exhausted", ErrorDetails_Error.PROVIDER_ERROR));
    await upstream.close();
    const final = await failing(
      withDetail("resource_exhausted", ErrorDetails_Error.PROVIDER_ERROR, { isRetryable: false }),
    );
    expect([passing.runs, final.runs]).toEqual([2, 1]);
  });

  it("with a detail that cannot be read is explained by its code", async () => {
    const details = [{ type: "aiserver.v1.ErrorDetails", value: "////" }];
    const { failure } = await failing({ code: "resource_exhausted", message: "Too much", details });
    expect(failure).toMatchObject({ code: "rate-limited", upstream: "[resource_exhausted] Too much" });
  });
});

describe("a token that is not taken (H-24)", () => {
  const counting = (): { readonly credentials: ApiCredentials; readonly renewals: () => number } => {
    let renewals = 0;
    return {
      credentials: {
        madeFrom: async () => "key",
        accessToken: async () => ({ secret: new Secret(`token-${renewals}`), madeFrom: "key" }),
        replaceRejected: async () => {
          renewals += 1;
          return { secret: new Secret(`token-${renewals}`), madeFrom: "key" };
        },
      },
      renewals: () => renewals,
    };
  };
  const play = async (isTaken: (token: string) => boolean) => {
    const { credentials, renewals } = counting();
    upstream = await startScriptedUpstream(saysHello, {
      refuse: ({ authorization = "" }) => (isTaken(authorization) ? undefined : { status: 401 }),
    });
    const lane = bench.lane(upstream.url, { credentials: () => credentials });
    return [storyOf(await collectTurn(pullTurn(lane, bench.request(), unstopped()))), renewals()];
  };

  it("is replaced once, and the turn goes on as if nothing had happened", async () => {
    expect(await play((token) => token === "Bearer token-1")).toEqual([["Hello.", "completed"], 1]);
  });

  it("and whose replacement is not taken either fails the turn", async () => {
    expect(await play(() => false)).toEqual([["not-logged-in"], 1]);
  });
});

it("streams that the server does not let in yet wait, and are given up by the first clock (H-23)", async () => {
  upstream = await startScriptedUpstream(saysHello, { settings: { maxConcurrentStreams: 0 } });
  const clocks = { firstEventMs: 300, idleMs: 1_000, toolMs: 1_000, turnMs: 2_000, graceMs: 100 };
  const lane = bench.lane(upstream.url, { clocks });
  const story = storyOf(await collectTurn(pullTurn(lane, bench.request(), unstopped())));
  // The very first may be on its way before the server's settings are known.
  expect(story.filter((word) => word !== "retry")).toEqual(["stalled"]);
});

it("a prompt that the connection does not take fails in time (H-22)", async () => {
  upstream = await startScriptedUpstream(saysHello, { isDeaf: true });
  const retries = { ...quickRetries, connects: 0, writeMs: 100, heartbeatMs: 50 };
  const lane = bench.lane(upstream.url, { retries });
  const prompt = "x".repeat(4 * 1024 * 1024);
  const end = (await collectTurn(pullTurn(lane, bench.request({ prompt }), unstopped()))).at(-1);
  expect(end).toMatchObject({
    outcome: { error: { code: "stalled", message: "The connection to the upstream takes no more data" } },
  });
});
