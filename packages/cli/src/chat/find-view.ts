import { CaretError, type NativeClient, type SessionView } from "@caret/protocol";
import { allViews } from "./all-views.ts";

const NAMED = 5;

/** Finds a session by its id, by a unique prefix of it, or by its agent's name. */
export async function findView(client: NativeClient, id: string): Promise<SessionView> {
  const agent = (await client.listAgents()).find(({ name }) => name === id);
  if (agent !== undefined) return await client.getSession(agent.sessionId);
  const prefix = id.toLowerCase();
  // The search covers titles too: matches there may fill the first pages.
  const found: SessionView[] = [];
  if (id !== "")
    for await (const view of allViews(client, id)) if (view.id.toLowerCase().startsWith(prefix)) found.push(view);
  const [view] = found;
  if (view === undefined) throw new CaretError("session-not-found", `There is no session ${JSON.stringify(id)}`);
  const exact = found.find((one) => one.id === id);
  if (found.length === 1 || exact !== undefined) return exact ?? view;
  throw new CaretError("invalid-request", `${found.length} sessions begin with ${JSON.stringify(id)}`, {
    upstream: found
      .slice(0, NAMED)
      .map((one) => `${one.id}  ${one.title}`)
      .join("\n"),
    fix: "Write more of the id.",
  });
}
