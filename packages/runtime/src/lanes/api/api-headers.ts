import { randomBytes } from "node:crypto";
import type { Secret } from "@caret/protocol";
import { AGENT_API_VERSION } from "@caret/protocol/agent-api";

/** How the official client of this schema version identifies itself. */
export const CLIENT_VERSION = `sdk-${AGENT_API_VERSION}`;
const USER_AGENT = "connect-es/1.6.1";

export interface HeaderSetting {
  readonly token: Secret;
  /** New for each attempt. */
  readonly requestId: string;
  /** The first attempt's id. */
  readonly originalRequestId: string;
}

/** The headers of every request, as the official client sends them. */
export function apiHeaders({ token, requestId, originalRequestId }: HeaderSetting): Headers {
  const trace = `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-00`;
  return new Headers({
    authorization: `Bearer ${token.reveal()}`,
    "user-agent": USER_AGENT,
    "x-cursor-client-type": "sdk",
    "x-cursor-client-version": CLIENT_VERSION,
    // Request privacy: the account's own setting can only be stricter.
    "x-ghost-mode": "true",
    "x-request-id": requestId,
    "x-original-request-id": originalRequestId,
    traceparent: trace,
    "backend-traceparent": trace,
  });
}

/** The only agent tools that can reach the turn's tools; without any tool the list is empty. */
const mcpFamily =
  "mcp_tool_call,get_mcp_tools_tool_call,list_mcp_resources_tool_call,read_mcp_resource_tool_call,mcp_auth_tool_call";

/** Additional headers of a run: its blob key, and which of its own tools the agent may use. */
export function runHeaders(
  headers: HeaderSetting,
  { encryptionKey, allowsOnly }: { readonly encryptionKey: Secret; readonly allowsOnly: "all" | "mcp" | "none" },
): Headers {
  const result = apiHeaders(headers);
  result.set("x-blob-encryption-key", encryptionKey.reveal());
  if (allowsOnly !== "all") result.set("x-cursor-agent-allowed-tools", allowsOnly === "mcp" ? mcpFamily : "");
  return result;
}
