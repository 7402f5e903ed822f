import { CaretError, type SessionView } from "@caret/protocol";
import { type ReactNode, useState } from "react";
import type { Prompt } from "../composer/prompt-input.tsx";
import { useApi } from "../data/page-hooks.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";

type Start = (prompt: Prompt) => Promise<SessionView>;

interface Asking {
  readonly settle: (isAllowed: boolean) => void;
}

/**
 * Starts as `start` does; where turns may not work in the workspace, the person is asked to allow it, and what they wrote
 * is then sent. Cancelled, the refusal stands.
 */
export function useAllowing(start: Start, workspace: string): { readonly start: Start; readonly dialog: ReactNode } {
  const api = useApi();
  const [asking, setAsking] = useState<Asking>();
  const ask = async (): Promise<boolean> => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    setAsking({ settle: resolve });
    const isAllowed = await promise;
    setAsking(undefined);
    return isAllowed;
  };
  return {
    start: async (prompt) => {
      try {
        return await start(prompt);
      } catch (reason) {
        const isForbidden = CaretError.is(reason) && reason.code === "workspace-forbidden";
        if (!isForbidden || !(await ask())) throw reason;
        return await start(prompt);
      }
    },
    dialog: asking !== undefined && (
      <ConfirmDialog
        action="Allow and start"
        onClose={() => asking.settle(false)}
        onConfirm={async () => {
          await api.allowWorkspace(workspace);
          asking.settle(true);
        }}
        title="Allow this directory?"
      >
        <p>
          Agents will be able to work in <code className="font-mono">{workspace}</code> and everything below it, now and
          in later sessions. Its rules, hooks and settings are trusted as well.
        </p>
      </ConfirmDialog>
    ),
  };
}
