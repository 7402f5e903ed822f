import type { IncomingHttpHeaders } from "node:http";
import type { DoorRequest } from "../door/door-request.ts";

/** What a client may say of a turn in headers of ours. */
export function doorHeaders(headers: IncomingHttpHeaders): Pick<DoorRequest, "workspace" | "owner"> {
  return { workspace: single(headers["x-caret-workspace"]), owner: single(headers["x-caret-tools"]) };
}

function single(value: string | readonly string[] | undefined): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}
