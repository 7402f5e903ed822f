import { create, toBinary } from "@bufbuild/protobuf";
import { ErrorDetails_Error, ErrorDetailsSchema } from "@caret/protocol/agent-api/errors";
import type { failureNames } from "../../scenario/step-shapes.ts";
import type { ConnectCode, WireOf } from "../../scenario/wire-shapes.ts";

type WireError = WireOf<"error">["error"];

/** Ends a run with a Connect error. */
export class RunFailure extends Error {
  override readonly name = "RunFailure";
  readonly error: WireError;

  constructor(error: WireError) {
    super(error.message);
    this.error = error;
  }
}

/** The end frame of a run that failed. */
export function toEndFrame({ code, message, detail }: WireError): object {
  if (detail === undefined) return { error: { code, message } };
  const { error, title = "", detail: words = "", isRetryable, additionalInfo = {} } = detail;
  const value = create(ErrorDetailsSchema, {
    error: toErrorNumber(error),
    details: { title, detail: words, additionalInfo, ...(isRetryable === undefined ? {} : { isRetryable }) },
    isExpected: true,
  });
  const base64 = Buffer.from(toBinary(ErrorDetailsSchema, value)).toString("base64").replace(/=+$/, "");
  return { error: { code, message, details: [{ type: "aiserver.v1.ErrorDetails", value: base64 }] } };
}

/** `ERROR_RATE_LIMITED` as its number; an unknown name is unspecified. */
function toErrorNumber(name: string): ErrorDetails_Error {
  const key = name.replace(/^ERROR_/, "") as keyof typeof ErrorDetails_Error;
  return ErrorDetails_Error[key] ?? ErrorDetails_Error.UNSPECIFIED;
}

type FailureName = (typeof failureNames)[number];

const limit = (error: string, title: string, detail: string): WireError => ({
  code: "resource_exhausted",
  message: "Error",
  detail: { error, title, detail, isRetryable: false },
});
const plain = (code: ConnectCode, message: string): WireError => ({ code, message });

/** What the server says where the CLI would print a known failure; undefined is a connection that breaks. */
export const failureErrors: Readonly<Record<FailureName, WireError | undefined>> = {
  "usage-limit": limit("ERROR_PRO_USER_USAGE_LIMIT", "You've hit your usage limit.", "Set a Spend Limit to continue."),
  "usage-limit-free": limit("ERROR_FREE_USER_USAGE_LIMIT", "You've hit your usage limit.", "Get Cursor Pro for more."),
  "free-plan": limit("ERROR_RATE_LIMITED_CHANGEABLE", "Named models unavailable", "Free plans can only use Auto."),
  "rate-limited": limit("ERROR_RATE_LIMITED", "Too many requests", "Try again later."),
  "policy-force": plain("permission_denied", "Your team administrator has disabled the 'Run Everything' option."),
  "policy-headless": plain("permission_denied", "Your team administrator has disabled headless usage."),
  outdated: {
    code: "failed_precondition",
    message: "Error",
    detail: {
      error: "ERROR_OUTDATED_CLIENT",
      title: "Outdated client",
      detail: "Update to continue.",
      isRetryable: false,
    },
  },
  network: undefined,
  unavailable: plain("unavailable", "HTTP 503"),
  "invalid-argument": plain("invalid_argument", "unknown option '--system-prompt'"),
  "permission-denied": plain("permission_denied", "This account may not do that"),
  "failed-precondition": plain("failed_precondition", "Finish the other turn first"),
  unimplemented: plain("unimplemented", "No such method"),
  "session-in-use": plain("already_exists", "The session is already in use"),
  "no-previous-chats": plain("not_found", "No previous chats found."),
  "no-sandbox": plain("failed_precondition", "Sandbox mode is enabled but not available on this system."),
};
