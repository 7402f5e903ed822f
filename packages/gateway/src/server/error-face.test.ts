import { CaretError } from "@caret/protocol";
import { expect, it } from "vitest";
import { toErrorFace } from "./error-face.ts";

const error = new CaretError("unauthenticated", "No token.", { fix: "Send one." });

it.each([
  ["/v1/messages", {}],
  ["/v1/messages/count_tokens", {}],
  ["/v1/models", { "anthropic-version": "2023-06-01" }],
])("speaks to Anthropic's clients at %s", (path, headers) => {
  expect(toErrorFace(error, { path, headers, requestId: "r1" })).toEqual({
    status: 401,
    body: {
      type: "error",
      error: { type: "authentication_error", message: "No token. Send one.", code: "unauthenticated" },
      request_id: "r1",
    },
  });
});

it.each(["/v1/chat/completions", "/v1/models", "/metrics", "/"])("speaks to OpenAI's clients at %s", (path) => {
  expect(toErrorFace(error, { path, headers: {}, requestId: "r1" })).toEqual({
    status: 401,
    body: {
      error: {
        message: "No token. Send one.",
        type: "authentication_error",
        code: "unauthenticated",
        param: null,
      },
    },
  });
});
