import type { AgentEvent } from "@caret/protocol";
import type { EventStore } from "@caret/runtime";
import type { Finding } from "./finding.ts";

/** Only the newest sessions, and the end of each: drift shows at once. */
const SESSIONS = 20;
const EVENTS_EACH = 400;
const SAMPLE_LENGTH = 200;

interface Drift {
  count: number;
  readonly sample: string;
}

/**
 * Reports what the agent's newest version said that Caret did not understand, by label, with a sample. Samples are redacted because the log
 * is.
 */
export async function checkDrift(store: EventStore): Promise<readonly Finding[]> {
  const { sessions } = await store.listSessions({ limit: SESSIONS });
  const seen = new Map<string, Drift>();
  let version: string | undefined;
  for (const { id, lastSeq } of sessions) {
    const events = await store.read(id, { beforeSeq: lastSeq + 1, limit: EVENTS_EACH, raw: false });
    const ready = events.findLast(({ event }) => event.type === "session-ready")?.event;
    const of = ready?.type === "session-ready" ? ready.version : undefined;
    // Newest first, so the first version seen is the newest; drift of older ones is old news.
    version ??= of;
    if (of !== version) break;
    for (const { event } of events) note(event, seen);
  }
  if (seen.size === 0) return [];
  const words = [...seen].map(([label, { count, sample }]) => `${count} × ${label}, for instance ${sample}`);
  const by = version === undefined ? "the agent" : `version ${version} of the agent`;
  return [
    {
      check: "drift",
      state: "warn",
      detail: `${by} sent what Caret does not know: ${words.join("; ")}`,
      fix: "Update Caret; if it is the newest, report these lines.",
    },
  ];
}

function note(event: AgentEvent, seen: Map<string, Drift>): void {
  const found = described(event);
  if (found === undefined) return;
  const known = seen.get(found.label);
  if (known === undefined) seen.set(found.label, { count: 1, sample: found.sample.slice(0, SAMPLE_LENGTH) });
  else known.count += 1;
}

function described(event: AgentEvent): { readonly label: string; readonly sample: string } | undefined {
  // An event of a newer Caret says nothing about the agent.
  if (event.type === "unknown" && event.source !== "store")
    return { label: event.label, sample: JSON.stringify(event.value) ?? "nothing" };
  if (event.type === "notice" && event.kind === "drift") return { label: "notice", sample: event.message };
  return undefined;
}
