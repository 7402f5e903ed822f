import { type AgentEventOf, approvalText, approvalView, CaretError } from "@caret/protocol";
import type { McpServer, ServerContext } from "@modelcontextprotocol/server";

/** Whether the person at the host has accepted what the message says. */
export type Confirm = (message: string) => Promise<boolean>;

/** Hosts show a message in a dialog; longer ones are decided where all of it can be read. */
const MAX_MESSAGE = 20_000;

/** The whole view, and the grant if there is one. */
export function confirmation(request: AgentEventOf<"approval-request">, grant: string | undefined): string {
  const view = approvalView(request);
  const granted = view.grants.find(({ id }) => id === grant)?.label;
  const always = granted === undefined ? "" : `\nAlways in this session: ${granted}`;
  const message = `The agent asks to be allowed this:\n${approvalText(view)}${always}`;
  if (message.length > MAX_MESSAGE)
    throw new CaretError("invalid-request", "This is too long to be shown to the user here", {
      fix: "Decide it on the page, or with `caret approve` in a terminal.",
    });
  return message;
}

/** Undefined if the host cannot ask its person. Hosts of the newest protocol cannot be asked. */
export function confirmBy({ server }: McpServer, { mcpReq }: ServerContext): Confirm | undefined {
  if (server.getClientCapabilities()?.elicitation === undefined) return undefined;
  return async (message) => {
    const requestedSchema = { type: "object" as const, properties: {} };
    const params = { mode: "form" as const, message, requestedSchema };
    const { action } = await mcpReq.send({ method: "elicitation/create", params }, { signal: mcpReq.signal });
    return action === "accept";
  };
}
