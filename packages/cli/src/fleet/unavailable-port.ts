import { CaretError } from "@caret/protocol";

/** What lists of such a port are: there is nothing. */
const lists = new Set(["list", "messages", "readInbox"]);
/** What asks about one thing, or does something in the background: there is none. */
const nothing = new Set(["ofSession", "sweep", "close"]);

/** A port that this process does not serve: its lists are empty, and everything else is refused. */
export function unavailablePort<Port extends object>(what: string): Port {
  const refuse = (): never => {
    throw new CaretError("unsupported", `${what} are not there in a fleet`, {
      fix: "Use a gateway on the machine itself, without `store`.",
    });
  };
  return new Proxy<Record<string, unknown>>(
    {},
    {
      get(_target, name) {
        if (typeof name !== "string" || name === "then") return undefined;
        if (lists.has(name)) return async () => [];
        return nothing.has(name) ? async () => undefined : refuse;
      },
    },
  ) as Port;
}
