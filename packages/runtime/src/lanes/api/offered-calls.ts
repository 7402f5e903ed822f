import type { AgentEventOf } from "@caret/protocol";
import type { ToolCall } from "../../calls/tool-call.ts";
import type { Decoded } from "../../decode/decoder.ts";
import type { OfferedTools } from "../lane.ts";
import { OWN_SERVER, type TurnOffer } from "./turn-offer.ts";

/** Calls of offered tools are logged where they are answered, not from upstream's stream. */
export interface OfferedCalls {
  /** Filters a batch to what is shown. */
  show(entries: readonly Decoded[]): readonly Decoded[];
  /** The batch shown last was taken: calls it mentioned may be announced now. */
  taken(): void;
}

/** Operations done by the gateway's own tools if it owns them; they then count as its calls. */
const runByGateway = new Set(["shell", "read", "edit", "write", "delete", "grep", "glob", "ls", "fetch"]);

export function createOfferedCalls(
  offered: OfferedTools | undefined,
  offer: TurnOffer | undefined,
  announced: Set<string>,
): OfferedCalls {
  if (offered === undefined || offer === undefined) return { show: (entries) => entries, taken: () => undefined };
  const hidden = new Set<string>();
  let mentions: (() => void)[] = [];

  const hide = (event: AgentEventOf<"tool-call">): void => {
    const { callId, server, name, input } = event;
    if (server === OWN_SERVER || isLookup(event)) {
      hidden.add(callId);
      if (server === OWN_SERVER) mentions.push(() => mention(callId, name, input as ToolCall["input"]));
    } else if (offer.owner === "gateway" && server === undefined && runByGateway.has(name)) hidden.add(callId);
  };

  const mention = (callId: string, toolName: string, input: ToolCall["input"]): void => {
    announced.add(callId);
    offered.announce(offer.resolveJson(toolName, input) ?? { name: toolName, input });
  };

  return {
    show(entries) {
      const shown = entries.filter(({ event }) => {
        if (event.type === "tool-call") hide(event);
        return !("callId" in event && event.callId !== undefined && hidden.has(event.callId));
      });
      return shown.length === entries.length ? entries : shown;
    },
    taken() {
      for (const announce of mentions) announce();
      mentions = [];
    },
  };
}

/** Looking up our own server's offer is an internal detail. */
function isLookup({ name, input }: AgentEventOf<"tool-call">): boolean {
  return name === "getMcpTools" && (input as { server?: unknown }).server === OWN_SERVER;
}
