import { CaretError, type Owner } from "@caret/protocol";

/** Owners by the names people give them; the second row are those of an older bridge for OpenCode. */
const owners: ReadonlyMap<string, Owner> = new Map([
  ["agent", "agent"],
  ["client", "client"],
  ["gateway", "gateway"],
  ["none", "none"],
  ["opencode", "client"],
  ["proxy-exec", "gateway"],
  ["off", "none"],
]);

export interface OwnerQuestion {
  /** What the request says, in the header `x-caret-tools`. */
  readonly asked: string | undefined;
  /** What the gateway is configured to do when the request says nothing. */
  readonly configured: string | undefined;
  readonly offersTools: boolean;
  /** Tools that the request lists and nobody here can run. */
  readonly unavailableTools: readonly string[];
  readonly forbidsTools: boolean;
}

/**
 * Who runs the tools of a turn; decided before it starts, and kept. Unless somebody says otherwise the client does when it
 * offers tools, and the agent does when it offers none. A client that wants tools none of which can be offered is refused:
 * it did not ask for an agent that works with tools of its own.
 */
export function toolOwner(question: OwnerQuestion): Owner {
  const { asked, configured, offersTools, unavailableTools, forbidsTools } = question;
  if (asked !== undefined) return parseOwner(asked);
  if (forbidsTools) return "none";
  const chosen = configured === undefined ? undefined : parseOwner(configured);
  if (offersTools) return chosen ?? "client";
  if (chosen !== undefined && chosen !== "client") return chosen;
  if (unavailableTools.length > 0) throw noneCanBeOffered(unavailableTools);
  return "agent";
}

function noneCanBeOffered(types: readonly string[]): CaretError {
  return new CaretError("unsupported", `Nobody here can run the tools of the request: ${types.join(", ")}`, {
    fix: "Offer tools that the client runs, or send none; `x-caret-tools: agent` lets the agent use tools of its own.",
  });
}

function parseOwner(name: string): Owner {
  const owner = owners.get(name.trim().toLowerCase());
  if (owner !== undefined) return owner;
  throw new CaretError("invalid-request", `Nobody called ${JSON.stringify(name.slice(0, 40))} owns tools`, {
    fix: "Say `client`, `gateway`, `agent` or `none`.",
  });
}
