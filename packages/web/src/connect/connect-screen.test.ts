import { expect, it } from "vitest";
import { gatewayUrl } from "./connect-screen.tsx";

it.each([
  ["http://127.0.0.1:4141/#/connect", "http://127.0.0.1:4141"],
  ["http://127.0.0.1:4141/index.html?x=1#/connect", "http://127.0.0.1:4141"],
  ["https://box.example/caret/#/connect", "https://box.example/caret"],
])("the page at %s is served by %s", (page, url) => {
  expect(gatewayUrl(page)).toBe(url);
});
