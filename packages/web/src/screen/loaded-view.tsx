import type { ReactNode } from "react";
import { ErrorNote } from "../parts/error-note.tsx";
import { Spinner } from "../parts/spinner.tsx";
import { toErrorInfo } from "../parts/to-error-info.ts";
import type { Loaded } from "./use-loaded.ts";

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
