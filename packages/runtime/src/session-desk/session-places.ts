import { CaretError, type SessionCaller } from "@caret/protocol";
import { chooseWorkspace } from "../desk/choose-workspace.ts";
import { allowedWorkspace } from "../engine/allowed-workspace.ts";
import type { SessionDeskOptions } from "./session-desk-options.ts";

type PlaceOptions = Pick<SessionDeskOptions, "scratch" | "allowedWorkspaces" | "defaultWorkspace">;

/** Where a new session works: where it says, else where its caller belongs, else in an empty directory of its own. */
export function placeForNew(options: PlaceOptions, asked: string | undefined, caller: SessionCaller): string {
  const { scratch, allowedWorkspaces, defaultWorkspace } = options;
  if (asked !== undefined) scratch.assertElsewhere(asked);
  const chosen = chooseWorkspace({ asked, bound: caller.workspace, fallback: defaultWorkspace });
  return chosen === undefined ? scratch.make("") : allowedWorkspace(chosen, allowedWorkspaces);
}

/** Where a session from elsewhere works: at the same place if there is one and turns may work there. */
export function placeForImported(options: PlaceOptions, theirs: string, caller: SessionCaller): string {
  try {
    return placeForNew(options, theirs, caller);
  } catch (reason) {
    if (!CaretError.is(reason)) throw reason;
    return caller.workspace === undefined
      ? options.scratch.make("")
      : allowedWorkspace(caller.workspace, options.allowedWorkspaces);
  }
}

/** A directory of the user's that a caller may look into. */
export function visiblePlace(
  { allowedWorkspaces }: Pick<SessionDeskOptions, "allowedWorkspaces">,
  asked: string,
  caller: SessionCaller,
): string {
  const place = chooseWorkspace({ asked, bound: caller.workspace, fallback: undefined });
  return allowedWorkspace(place ?? asked, allowedWorkspaces);
}
