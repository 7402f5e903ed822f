import type { CaretError, FollowedUpdate, FollowOptions, StreamState } from "@caret/protocol";

export interface ShareUpdatesOptions {
  readonly follow: (options: FollowOptions) => AsyncIterable<readonly FollowedUpdate[]>;
  readonly locks: Pick<LockManager, "request"> | undefined;
  /** The same for all tabs of one gateway. */
  readonly name: string;
  readonly signal: AbortSignal;
  readonly onUpdates: (updates: readonly FollowedUpdate[]) => void;
  readonly onState: (state: StreamState, reason?: CaretError) => void;
}

type Told =
  | { readonly kind: "updates"; readonly updates: readonly FollowedUpdate[] }
  | { readonly kind: "state"; readonly state: StreamState }
  /** A tab that has come asks how things are, and is told. */
  | { readonly kind: "hello"; readonly from: string }
  | { readonly kind: "welcome"; readonly to: string; readonly state: StreamState };

/**
 * Follow the updates with one connection for all tabs: browsers allow six to a host, and each tab also follows the session
 * it shows. Whichever tab holds the lock follows and tells the others; when it is closed, the next one takes over.
 * Ends by the signal, rejects as `follow` does.
 */
export async function shareUpdates(options: ShareUpdatesOptions): Promise<void> {
  const { locks, name, signal } = options;
  if (locks === undefined) return await lead(options, () => undefined);
  const channel = new BroadcastChannel(name);
  const tell = (told: Told): void => channel.postMessage(told);
  const listening = new AbortController();
  const me = String(Math.random());
  channel.addEventListener("message", ({ data }) => hear(data, me, options), { signal: listening.signal });
  try {
    tell({ kind: "hello", from: me });
    await locks.request(name, { signal }, () => {
      listening.abort();
      return leadAll(options, channel, tell);
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    listening.abort();
    channel.close();
  }
}

function hear(told: Told, me: string, { onUpdates, onState }: ShareUpdatesOptions): void {
  if (told.kind === "updates") onUpdates(told.updates);
  if (told.kind === "state") onState(told.state);
  if (told.kind !== "welcome" || told.to !== me) return;
  onState(told.state);
  if (told.state === "open") onUpdates([{ kind: "opened" }]);
}

async function leadAll(options: ShareUpdatesOptions, channel: BroadcastChannel, tell: (told: Told) => void) {
  let state: StreamState | undefined;
  const welcome = ({ data }: MessageEvent<Told>): void => {
    if (data.kind === "hello" && state !== undefined) tell({ kind: "welcome", to: data.from, state });
  };
  channel.addEventListener("message", welcome);
  await lead(options, (told) => {
    if (told.kind === "state") state = told.state;
    tell(told);
  });
}

async function lead(
  { follow, signal, onUpdates, onState }: ShareUpdatesOptions,
  tell: (told: Told) => void,
): Promise<void> {
  const tellState = (state: StreamState, reason?: CaretError): void => {
    onState(state, reason);
    tell({ kind: "state", state });
  };
  for await (const updates of follow({ signal, onState: tellState })) {
    onUpdates(updates);
    tell({ kind: "updates", updates });
  }
}
