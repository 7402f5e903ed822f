import { CaretError } from "@caret/protocol";
import { type ListedRoute, methodsAt } from "../admin/openapi.ts";

export interface MissingRoute {
  readonly error: CaretError;
  /** The methods that would have worked here; empty if there is nothing at this path. */
  readonly allow: readonly string[];
}

/** The answer to a request without a route. */
export function missingRoute(routes: readonly ListedRoute[], method: string, path: string): MissingRoute {
  const allow = methodsAt(routes, path);
  if (allow.length > 0) {
    const fix = `Use ${allow.join(" or ")}.`;
    return { allow, error: new CaretError("invalid-request", `${path} does not answer ${method}.`, { fix }) };
  }
  return { allow, error: new CaretError("not-found", `There is nothing at ${shorten(path)}.`, { fix: fixFor(path) }) };
}

/** Some clients add `/v1` to their base URL and some do not, so this is the commonest mistake. */
function fixFor(path: string): string {
  if (path.startsWith("/v1/v1/")) return "Leave /v1 out of the client's base URL: it adds it itself.";
  if (/^\/(?:chat\/completions|responses|messages|models)\b/.test(path)) return "Add /v1 to the client's base URL.";
  return "Check the address; GET /openapi.json lists all there are.";
}

function shorten(path: string): string {
  return path.length > 100 ? `${path.slice(0, 100)}…` : path;
}
