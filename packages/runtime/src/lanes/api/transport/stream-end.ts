import { CaretError, isJsonObject, type JsonObject, parseJson } from "@caret/protocol";

/** A detail of an error: a message type and its bytes. */
export interface ErrorDetail {
  readonly type: string;
  readonly value: Uint8Array;
}

/** What upstream said when it refused a request or ended a stream with an error. */
export interface UpstreamRefusal {
  /** Connect's code, in its spelling; undefined if only the HTTP status is known. */
  readonly code: string | undefined;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
  /** HTTP status of a request refused before its stream began. */
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The response header that names the kind of inference failure. */
  readonly errorType: string | undefined;
}

/** How a stream ended. */
export type StreamEnd =
  | { readonly kind: "ended" }
  | { readonly kind: "refused"; readonly refusal: UpstreamRefusal }
  /** The connection broke off, or its content was invalid. */
  | { readonly kind: "dropped"; readonly error: CaretError };

const HTTP_OK = 200;
const MAX_BODY_CHARACTERS = 2_000;
const ERROR_TYPE_HEADER = "x-cursor-inference-request-error-type";

/** Interprets a stream's end frame. */
export function readEndFrame(json: string, header: Headers): StreamEnd {
  const end = parseJson(json);
  if (!isJsonObject(end))
    return { kind: "dropped", error: new CaretError("protocol-violation", "The upstream's end frame is not JSON") };
  const error = end["error"];
  if (!isJsonObject(error)) return { kind: "ended" };
  const metadata = isJsonObject(end["metadata"]) ? end["metadata"] : {};
  return { kind: "refused", refusal: toRefusal(error, HTTP_OK, header, metadata) };
}

/** Interprets a response with a status other than 200. A body that is not a Connect error is quoted, cut. */
export function readErrorResponse(status: number, header: Headers, body: string): UpstreamRefusal {
  const error = parseJson(body);
  if (isJsonObject(error) && typeof error["code"] === "string") return toRefusal(error, status, header, {});
  const isText = !(header.get("content-type") ?? "").includes("html");
  const message = isText ? body.trim().slice(0, MAX_BODY_CHARACTERS) : "";
  return toRefusal({ message }, status, header, {});
}

function toRefusal(error: JsonObject, status: number, header: Headers, metadata: JsonObject): UpstreamRefusal {
  const details = Array.isArray(error["details"]) ? error["details"] : [];
  return {
    code: textOf(error["code"]),
    message: textOf(error["message"]) ?? "",
    details: details.flatMap(toDetail),
    status,
    retryAfter: header.get("retry-after") ?? firstOf(metadata["retry-after"]),
    errorType: header.get(ERROR_TYPE_HEADER) ?? firstOf(metadata[ERROR_TYPE_HEADER]),
  };
}

function toDetail(detail: unknown): readonly ErrorDetail[] {
  if (!isJsonObject(detail)) return [];
  const type = textOf(detail["type"]);
  const value = textOf(detail["value"]);
  if (type === undefined || value === undefined) return [];
  return [{ type: type.slice(type.lastIndexOf("/") + 1), value: Buffer.from(value, "base64") }];
}

function firstOf(values: unknown): string | undefined {
  return textOf(Array.isArray(values) ? values[0] : values);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
