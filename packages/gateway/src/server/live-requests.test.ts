import { CaretError, Secret } from "@caret/protocol";
import { expect, it } from "vitest";
import { createLiveRequests } from "./live-requests.ts";

const credential = (secret: string) => ({ grant: { name: secret, scopes: [] }, secret: new Secret(secret) });

it("ends the answers of a revoked token within a second, and no others", async () => {
  const valid = new Set(["a", "b"]);
  const live = createLiveRequests({ find: (secret) => (valid.has(secret) ? credential(secret).grant : undefined) });
  const [a, b] = [live.begin(credential("a")), live.begin(credential("b"))];
  const started = performance.now();
  valid.delete("a");
  const reason = await new Promise((resolve) => a.signal.addEventListener("abort", () => resolve(a.signal.reason)));
  const tookMs = performance.now() - started;
  a.end();
  b.end();
  expect([(reason as CaretError).code, b.signal.aborted, tookMs < 1000, live.count]).toEqual([
    "unauthenticated",
    false,
    true,
    0,
  ]);
});

it("tells everybody to leave", () => {
  const live = createLiveRequests({ find: () => undefined });
  const { signal, end } = live.begin(credential("a"));
  const reason = new CaretError("interrupted", "The gateway stops.");
  live.stopAll(reason);
  end();
  expect(signal.reason).toBe(reason);
});
