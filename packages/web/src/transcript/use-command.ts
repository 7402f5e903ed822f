import { useState } from "react";
import { toErrorInfo } from "../parts/to-error-info.ts";

/** Something that is asked of the gateway by a button: it is done once at a time, and says why it could not be done. */
export function useCommand() {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const run = (command: () => Promise<unknown>): void => {
    setBusy(true);
    setFailure(undefined);
    command()
      .catch((error: unknown) => setFailure(failureWords(error)))
      .finally(() => setBusy(false));
  };
  return { run, isBusy, failure };
}

/** What failed and what to do about it. */
export function failureWords(error: unknown): string {
  const { message, fix } = toErrorInfo(error);
  return message.endsWith(".") ? `${message} ${fix}` : `${message}. ${fix}`;
}
