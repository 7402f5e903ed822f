import { isSideCall, type NativeClient, type SessionView } from "@caret/protocol";
import { physicalPath, type SessionState } from "@caret/runtime";
import { ageText } from "../terminal/amount-text.ts";
import { cleanLine } from "../terminal/text-cleaner.ts";
import type { Choice } from "./chat-command.ts";

const LISTED = 100;

const ended: Readonly<Record<"completed" | "failed" | "cancelled", SessionState>> = {
  completed: "done",
  failed: "failed",
  cancelled: "stopped",
};

/** State names as in `caret sessions ls`. */
export function stateOf({ status }: Pick<SessionView, "status">): SessionState {
  if (status.kind === "idle") return "new";
  if (status.kind === "ended") return ended[status.outcome];
  if (status.kind === "running" || status.waitsFor === "client") return "running";
  return status.waitsFor === "machine" ? `waiting for ${status.about}` : "waiting for you";
}

/** The newest sessions, this workspace's first. */
export async function listForPicker(client: NativeClient, workspace: string): Promise<readonly SessionView[]> {
  const { sessions } = await client.listSessions({ limit: LISTED, archived: false });
  const here = physicalPath(workspace);
  const isHere = (view: SessionView): boolean => physicalPath(view.workspace) === here;
  const shown = sessions.filter((view) => !isSideCall(view));
  return [...shown.filter(isHere), ...shown.filter((view) => !isHere(view))];
}

export function sessionChoice(view: SessionView, now: number): Choice {
  const words = [stateOf(view), ageText(view.updatedAt, now), view.agent ?? "", view.workspace];
  const about = words.filter((word) => word !== "").map(cleanLine);
  return { value: view.id, label: cleanLine(view.title) || "Untitled", description: about.join(" · ") };
}
