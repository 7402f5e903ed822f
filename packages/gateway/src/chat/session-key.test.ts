import { expect, it } from "vitest";
import { sessionKeyOf } from "./door-headers.ts";

it.each([
  ["OpenCode's header", { "x-session-id": "ses_1" }, {}, "ses_1"],
  ["Codex's header", { "session-id": "thread-1" }, {}, "thread-1"],
  ["pi's header", { session_id: "pi-1" }, {}, "pi-1"],
  ["Claude Code's header", { "x-claude-code-session-id": "cc-1" }, {}, "cc-1"],
  ["the JSON in Claude Code's user id", {}, { userId: '{"device_id":"d","session_id":"cc-2"}' }, "cc-2"],
  ["the older form of that user id", {}, { userId: "user_ab_account__session_cc-3" }, "cc-3"],
])("takes %s as the session's name", (_name, headers, hints, key) => {
  expect(sessionKeyOf(headers, hints)).toBe(key);
});

it("prefers the name that is most certain", () => {
  const headers = { "x-claude-code-session-id": "4", session_id: "3", "session-id": "2", "x-session-id": "1" };
  const hints = { userId: '{"session_id":"5"}' };
  const found = Object.keys(headers).map((_key, index, names) =>
    sessionKeyOf(Object.fromEntries(Object.entries(headers).slice(0, names.length - index)), hints),
  );
  expect([...found, sessionKeyOf({}, hints)]).toEqual(["1", "2", "3", "4", "5"]);
});

it.each([
  ["nothing", {}, {}],
  ["blank names", { "x-session-id": "  " }, { userId: "" }],
  ["a name of a thousand letters", { "x-session-id": "x".repeat(1000) }, {}],
  ["a person's id", {}, { userId: "person@example.test" }],
  ["broken JSON", {}, { userId: "{session_id" }],
  ["JSON without a session", {}, { userId: '{"device_id":"d"}' }],
  ["a session that is no text", {}, { userId: '{"session_id":{"a":1}}' }],
  ["values that are no text", {}, { userId: ["a"] }],
])("finds no name in %s", (_name, headers, hints) => {
  expect(sessionKeyOf(headers, hints)).toBe(undefined);
});
