import { createContext, use } from "react";

const Workspace = createContext<string | undefined>(undefined);

/** Where the session works: paths in it are shown from there. */
export const WorkspaceProvider = Workspace.Provider;

export function useShownPath(path: string): string {
  return pathWithin(path, use(Workspace));
}

/** The path as somebody in the workspace would say it. */
export function pathWithin(path: string, workspace: string | undefined): string {
  const start = workspace === undefined ? "" : `${workspace.replace(/\/$/, "")}/`;
  return start !== "" && path.startsWith(start) && path.length > start.length ? path.slice(start.length) : path;
}
