import { expect, it } from "vitest";
import { assertAllowedOrigin } from "./origin-check.ts";

function answerTo(origins: readonly string[], configured: readonly string[] = []): string {
  const rawHeaders = origins.flatMap((origin) => ["Origin", origin]);
  try {
    assertAllowedOrigin({ url: "/", rawHeaders, socket: { localPort: 4141 } }, configured);
    return "allowed";
  } catch (reason) {
    return (reason as { code: string }).code;
  }
}

it.each([
  ["a program, which sends none", []],
  ["our own page", ["http://localhost:4141"]],
  ["our own page by address", ["http://127.0.0.1:4141"]],
  ["our own page by IPv6 address", ["http://[::1]:4141"]],
])("lets in %s", (_name, origins) => {
  expect(answerTo(origins)).toBe("allowed");
});

it.each([
  ["another site", ["https://evil.test"]],
  ["a frame without origin", ["null"]],
  ["an empty origin", [""]],
  ["a star", ["*"]],
  ["another port of this machine", ["http://localhost:3000"]],
  ["our name over https", ["https://localhost:4141"]],
  ["a name that begins like ours", ["http://localhost:4141.evil.test"]],
  ["ours and another", ["http://localhost:4141", "https://evil.test"]],
])("refuses %s", (_name, origins) => {
  expect(answerTo(origins)).toBe("forbidden");
});

it("lets in an origin that was configured", () => {
  expect(answerTo(["https://caret.example.test"], ["https://caret.example.test"])).toBe("allowed");
});
