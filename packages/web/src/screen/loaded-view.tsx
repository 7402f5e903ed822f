import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { ErrorNote, toErrorInfo } from "../parts/error-note.tsx";
import { Spinner } from "../parts/placeholders.tsx";

interface LoadedViewProps<Value> {
  readonly loaded: Loaded<Value>;
  /** What is being waited for: `Looking at the working tree`. */
  readonly waiting: string;
  readonly children: (value: Value) => ReactNode;
}

/** The answer; until it is there, that it is awaited; or why it did not come. A failed repetition leaves the former answer. */
export function LoadedView<Value>({ loaded, waiting, children }: LoadedViewProps<Value>) {
  const { value, error, isLoading, reload } = loaded;
  if (value === undefined && error === undefined)
    return (
      <p className="flex items-center gap-2 py-8 text-soft" role="status">
        <Spinner /> {waiting}…
      </p>
    );
  return (
    <>
      {error !== undefined && !isLoading && (
        <div className="mb-4">
          <ErrorNote error={toErrorInfo(error)} onRetry={reload} />
        </div>
      )}
      {value !== undefined && children(value)}
    </>
  );
}

/** Something that is asked for once and again when the reader wants. While it is, the former answer stays. */
export interface Loaded<Value> {
  readonly value?: Value;
  readonly error?: unknown;
  readonly isLoading: boolean;
  /** When `value` came. */
  readonly loadedAt?: number;
  readonly reload: () => void;
}

interface LoadState<Value> extends Omit<Loaded<Value>, "reload"> {
  readonly key: string;
}

/**
 * Asks again whenever `key` changes; what was asked for under another key is forgotten. Asks again, with the answer kept
 * until there is a new one, whenever `version` does.
 */
export function useLoaded<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
  version = "",
): Loaded<Value> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<LoadState<Value>>({ key, isLoading: true });
  const newest = useRef(load);
  newest.current = load;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round is a new question, though nothing reads its number
  useEffect(() => {
    const stop = new AbortController();
    setState((before) => (before.key === key ? { ...before, isLoading: true } : { key, isLoading: true }));
    newest.current(stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) setState({ key, value, isLoading: false, loadedAt: Date.now() });
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setState((before) => ({ ...before, error, isLoading: false }));
      },
    );
    return () => stop.abort();
  }, [key, round, version]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  // In the render in which the key changes, the state is still that of the former one.
  return state.key === key ? { ...state, reload } : { isLoading: true, reload };
}
