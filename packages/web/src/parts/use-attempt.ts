import { useState } from "react";

/** What a dialog does with the gateway: once at a time, until it succeeds, with why the last attempt failed. */
export function useAttempt() {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const attempt = <Value>(work: Promise<Value>, onDone: (value: Value) => void): void => {
    setBusy(true);
    work.then(onDone, (reason: unknown) => {
      setBusy(false);
      setError(reason);
    });
  };
  return { attempt, isBusy, error };
}
