import { Secret } from "@caret/protocol";
import { expect, it } from "vitest";
import { cutPageSecret, readPageSecret } from "./authenticate.ts";

const secret = "caret_AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHHIIIIJJJJ";
const { cookie, pageKey } = cutPageSecret(new Secret(secret));
const halves = { cookie: `caret_page=${cookie}`, "x-caret-page": pageKey };

it("cuts a token in two halves of which each has enough to guess", () => {
  expect({
    together: cookie + pageKey,
    isCookieLong: cookie.replace("caret_", "").length > 15,
    isPageKeyLong: pageKey.length > 15,
  }).toEqual({ together: secret, isCookieLong: true, isPageKeyLong: true });
});

it("puts the halves together again, whatever other cookies there are", () => {
  const cookies = `not_caret_page=x; ${halves.cookie}; caret_page_2=y`;
  expect(readPageSecret({ ...halves, cookie: cookies })).toBe(secret);
});

it("has a cookie for each port, so that two gateways of one host do not take each other's place", () => {
  const cookies = `caret_page_4141=other; caret_page_4142=${cookie}; caret_page=${"x".repeat(30)}`;
  expect(readPageSecret({ ...halves, host: "127.0.0.1:4142", cookie: cookies })).toBe(secret);
});

it.each([
  ["no cookie", { "x-caret-page": pageKey }],
  ["no key", { cookie: halves.cookie }],
  ["a cookie of another name", { ...halves, cookie: `caret_pages=${cookie}` }],
  ["an empty half", { ...halves, "x-caret-page": "" }],
  ["a half with odd characters", { ...halves, "x-caret-page": `${pageKey} ` }],
  ["a half that is endless", { ...halves, "x-caret-page": "x".repeat(10_000) }],
  [
    "its key as a protocol where nothing is upgraded",
    { cookie: halves.cookie, "sec-websocket-protocol": `caret.page.${pageKey}` },
  ],
  ["its key as a header where a WebSocket is asked for", { ...halves, upgrade: "websocket" }],
])("takes nobody for signed in with %s", (_name, headers) => {
  expect(readPageSecret(headers)).toBeUndefined();
});

it("takes the key from the protocols that a WebSocket offers", () => {
  const offered = `caret.events, caret.page.${pageKey}`;
  expect(readPageSecret({ cookie: halves.cookie, upgrade: "websocket", "sec-websocket-protocol": offered })).toBe(
    secret,
  );
});
