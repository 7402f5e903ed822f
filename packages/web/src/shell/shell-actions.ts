import { createContext, useContext } from "react";

export type Overlay = "palette" | "shortcuts" | "import" | "more" | "rename" | "model" | "phone";

/** What any part of the page may ask the shell to show. */
export interface ShellActions {
  readonly show: (overlay: Overlay) => void;
}

export const ShellActionsContext = createContext<ShellActions>({ show: () => undefined });

export function useShellActions(): ShellActions {
  return useContext(ShellActionsContext);
}
