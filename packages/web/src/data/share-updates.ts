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

type TabMessage =
  | { readonly kind: "updates"; readonly updates: readonly FollowedUpdate[] }
  | { readonly kind: "state"; readonly state: StreamState }
  /** A new tab asks for the state, and gets it as `welcome`. */
  | { readonly kind: "hello"; readonly from: string }
  | { readonly kind: "welcome"; readonly to: string; readonly state: StreamState };

/**
 * Follow the updates with one connection for all tabs: browsers allow six to a host, and each tab also follows the session
 * it shows. Whichever tab holds the lock follows and posts to the others; when it is closed, the next one takes over.
 * Ends by the signal, rejects as `follow` does.
 */
export async function shareUpdates(options: ShareUpdatesOptions): Promise<void> {
  const { locks, name, signal } = options;
  if (locks === undefined) return await lead(options, () => undefined);
  const channel = new BroadcastChannel(name);
  const post = (message: TabMessage): void => channel.postMessage(message);
  const listening = new AbortController();
  const me = String(Math.random());
  channel.addEventListener("message", ({ data }) => receive(data, me, options), { signal: listening.signal });
  try {
    post({ kind: "hello", from: me });
    await locks.request(name, { signal }, () => {
      listening.abort();
      return leadAll(options, channel, post);
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    listening.abort();
    channel.close();
  }
}

function receive(message: TabMessage, me: string, { onUpdates, onState }: ShareUpdatesOptions): void {
  if (message.kind === "updates") onUpdates(message.updates);
  if (message.kind === "state") onState(message.state);
  if (message.kind !== "welcome" || message.to !== me) return;
  onState(message.state);
  if (message.state === "open") onUpdates([{ kind: "opened" }]);
}

async function leadAll(options: ShareUpdatesOptions, channel: BroadcastChannel, post: (message: TabMessage) => void) {
  let state: StreamState | undefined;
  const welcome = ({ data }: MessageEvent<TabMessage>): void => {
    if (data.kind === "hello" && state !== undefined) post({ kind: "welcome", to: data.from, state });
  };
  channel.addEventListener("message", welcome);
  await lead(options, (message) => {
    if (message.kind === "state") state = message.state;
    post(message);
  });
}

async function lead(
  { follow, signal, onUpdates, onState }: ShareUpdatesOptions,
  post: (message: TabMessage) => void,
): Promise<void> {
  const postState = (state: StreamState, reason?: CaretError): void => {
    onState(state, reason);
    post({ kind: "state", state });
  };
  for await (const updates of follow({ signal, onState: postState })) {
    onUpdates(updates);
    post({ kind: "updates", updates });
  }
}
