import type { IncomingHttpHeaders } from "node:http";
import { refusalWith } from "../http/known-error.ts";

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/**
 * Only JSON, said plainly. A page of another site can send forms and plain text without asking the browser first, but not
 * `application/json`. Compressed bodies are refused, since their size is known only after unpacking them.
 */
export function assertJsonBody(method: string, headers: IncomingHttpHeaders): void {
  if (!METHODS_WITH_BODY.has(method)) return;
  const [mediaType = ""] = (headers["content-type"] ?? "").split(";", 1);
  const encoding = headers["content-encoding"] ?? "identity";
  if (mediaType.trim().toLowerCase() === "application/json" && encoding.toLowerCase() === "identity") return;
  throw refusalWith(415, "The body has to be JSON, sent with `content-type: application/json` and not compressed.");
}
