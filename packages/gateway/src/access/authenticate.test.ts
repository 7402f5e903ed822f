import { describe, expect, it } from "vitest";
import { assertScope, authenticate, withBrowserToken } from "./authenticate.ts";

const grant = { name: "laptop", scopes: ["turns"] };
const asked: string[] = [];
const tokens = {
  find: (secret: string) => {
    asked.push(secret);
    return secret === "good" ? grant : undefined;
  },
};

it.each([
  ["a bearer token", { authorization: "Bearer good" }],
  ["a bearer token in small letters", { authorization: "bearer  good" }],
  ["Anthropic's header", { "x-api-key": "good" }],
])("takes %s", (_name, headers) => {
  const { grant: found, secret } = authenticate(headers, tokens);
  expect([found, secret.reveal(), String(secret)]).toEqual([grant, "good", "[secret]"]);
});

it.each([
  ["nothing", {}],
  ["a wrong token", { authorization: "Bearer bad" }],
  ["a wrong key", { "x-api-key": "bad" }],
  ["an empty key", { "x-api-key": "" }],
  ["an empty bearer token", { authorization: "Bearer " }],
  ["a token without its scheme", { authorization: "good" }],
  ["another scheme", { authorization: "Basic good" }],
  ["two words", { authorization: "Bearer good good" }],
  ["a right key beside a wrong token", { authorization: "Bearer bad", "x-api-key": "good" }],
  ["a right token in a cookie", { cookie: "token=good" }],
])("refuses %s", (_name, headers) => {
  expect(() => authenticate(headers, tokens)).toThrow("This needs a valid token of the gateway.");
});

it("does not even look up a token of a kilobyte", () => {
  asked.length = 0;
  expect(() => authenticate({ "x-api-key": "x".repeat(1024) }, tokens)).toThrow("valid token");
  expect(asked).toEqual([]);
});

it("lets a token do what its scopes say, and an admin everything", () => {
  expect(() => assertScope(grant, "turns")).not.toThrow();
  expect(() => assertScope({ name: "boss", scopes: ["admin"] }, "metrics")).not.toThrow();
  expect(() => assertScope(grant, "metrics")).toThrow('it lacks the scope "metrics"');
  expect(() => assertScope({ name: "none", scopes: [] }, "turns")).toThrow('it lacks the scope "turns"');
});

describe("a browser's credential", () => {
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });

  it.each([
    ["the password, whatever the name", basic("ada:secret"), { authorization: "Bearer secret" }],
    ["a password with a colon", basic(":a:b"), { authorization: "Bearer a:b" }],
    ["a program's own", { authorization: "Bearer x" }, { authorization: "Bearer x" }],
    ["none", {}, {}],
  ])("is %s", (_name, headers, expected) => {
    expect(withBrowserToken(headers)).toEqual(expected);
  });
});
