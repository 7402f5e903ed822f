import { CaretError, Secret } from "@caret/protocol";
import { expect, it } from "vitest";
import { createLiveRequests } from "./live-requests.ts";

const credential = (secret: string) => ({ grant: { name: secret, scopes: [] }, secret: new Secret(secret) });

it("ends the answers of a revoked token soon, and no others", async () => {
  const valid = new Set(["a", "b"]);
  const live = createLiveRequests({ find: (secret) => (valid.has(secret) ? credential(secret).grant : undefined) });
  const [a, b] = [live.begin(credential("a")), live.begin(credential("b"))];
  const started = performance.now();
  valid.delete("a");
  const reason = await new Promise((resolve) => a.signal.addEventListener("abort", () => resolve(a.signal.reason)));
  const tookMs = performance.now() - started;
  a.end();
  b.end();
  expect({ code: (reason as CaretError).code, isOtherAborted: b.signal.aborted, count: live.count }).toEqual({
    code: "unauthenticated",
    isOtherAborted: false,
    count: 0,
  });
  // The tokens are looked up twice a second; a busy machine may be late.
  expect(tookMs).toBeLessThan(5_000);
});

it("aborts all live requests", () => {
  const live = createLiveRequests({ find: () => undefined });
  const { signal, end } = live.begin(credential("a"));
  const reason = new CaretError("interrupted", "The gateway stops.");
  live.stopAll(reason);
  end();
  expect(signal.reason).toBe(reason);
});
