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
  readonly forbidsTools: boolean;
}

/**
 * Who runs the tools of a turn; decided before it starts, and kept. Unless somebody says otherwise the client does when it
 * offers tools, and the agent does when it offers none.
 */
export function toolOwner({ asked, configured, offersTools, forbidsTools }: OwnerQuestion): Owner {
  if (asked !== undefined) return parseOwner(asked);
  if (forbidsTools) return "none";
  if (!offersTools) return configured === undefined ? "agent" : withoutTools(parseOwner(configured));
  return configured === undefined ? "client" : parseOwner(configured);
}

/** A client that offers no tools cannot own any. */
function withoutTools(owner: Owner): Owner {
  return owner === "client" ? "agent" : owner;
}

function parseOwner(name: string): Owner {
  const owner = owners.get(name.trim().toLowerCase());
  if (owner !== undefined) return owner;
  throw new CaretError("invalid-request", `Nobody called ${JSON.stringify(name.slice(0, 40))} owns tools`, {
    fix: "Say `client`, `gateway`, `agent` or `none`.",
  });
}
