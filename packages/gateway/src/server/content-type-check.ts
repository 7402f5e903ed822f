import type { IncomingHttpHeaders } from "node:http";
import { refusalWith } from "../http/known-error.ts";

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

const JSON_TYPE = "application/json";

/**
 * Only JSON, said plainly, or what a route takes instead. A page of another site can send forms and plain text without
 * asking the browser first, but not these. Compressed bodies are refused, since their size is known only after unpacking.
 */
export function assertMediaType(method: string, headers: IncomingHttpHeaders, wanted = JSON_TYPE): void {
  if (!METHODS_WITH_BODY.has(method)) return;
  const [mediaType = ""] = (headers["content-type"] ?? "").split(";", 1);
  const encoding = headers["content-encoding"] ?? "identity";
  if (mediaType.trim().toLowerCase() === wanted && encoding.toLowerCase() === "identity") return;
  const what = wanted === JSON_TYPE ? "JSON" : "newline-delimited JSON";
  throw refusalWith(415, `The body has to be ${what}, sent with \`content-type: ${wanted}\` and not compressed.`);
}
