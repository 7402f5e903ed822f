import type { ExportFormat, SessionView } from "@caret/protocol";
import {
  Archive,
  ArchiveRestore,
  Cpu,
  Download,
  FileDiff,
  GitFork,
  History,
  Pencil,
  Pin,
  PinOff,
  Square,
} from "lucide-react";
import { useMemo } from "react";
import { useLocation, useRoute } from "wouter";
import { usePageData } from "../data/page-data-context.tsx";
import { usePageState } from "../data/page-hooks.ts";
import { showError, showToast } from "../parts/toast.tsx";
import { saveFile } from "../transfer/save-file.ts";
import type { PaletteAction } from "./palette-action.ts";
import { useShellActions } from "./shell-actions.ts";

const icon = { "aria-hidden": true, size: 14 } as const;
const exports: readonly (readonly [ExportFormat, string])[] = [
  ["markdown", "Markdown"],
  ["html", "an HTML page"],
  ["ndjson", "replayable NDJSON"],
];

/** What can be done with the session that is open. */
export function useSessionPalette(): readonly PaletteAction[] {
  const [, params] = useRoute<{ readonly id: string }>("/s/:id/*?");
  const id = params?.id;
  const session = usePageState(({ sessions }) => (id === undefined ? undefined : sessions.get(id)));
  const { api, put } = usePageData();
  const { show } = useShellActions();
  const [, navigate] = useLocation();
  return useMemo(() => {
    if (session === undefined) return [];
    const act = (label: string, image: PaletteAction["icon"], onChoose: () => Promise<unknown>): PaletteAction => ({
      id: `session ${label}`,
      label,
      icon: image,
      also: "this session",
      detail: "this session",
      onChoose: () => void onChoose().catch(showError),
    });
    const change = async (changes: Parameters<typeof api.changeSession>[1], done: string): Promise<void> => {
      put(await api.changeSession(session.id, changes));
      showToast(done);
    };
    const fork = async (): Promise<void> => {
      const made = await api.forkSession(session.id, {});
      put(made);
      navigate(`/s/${made.id}`);
    };
    const turnId = stoppableTurn(session);
    const { archived, pinned = false } = session;
    return [
      ...(turnId === undefined
        ? []
        : [act("Stop the turn", <Square {...icon} />, () => api.cancelTurn(session.id, turnId))]),
      act("Show the changes", <FileDiff {...icon} />, async () => navigate(`/s/${session.id}/changes`)),
      act("Fork this session", <GitFork {...icon} />, fork),
      act("Change the model", <Cpu {...icon} />, async () => show("model")),
      act("Rename this session", <Pencil {...icon} />, async () => show("rename")),
      pinned
        ? act("Unpin this session", <PinOff {...icon} />, () => change({ pinned: false }, "Unpinned"))
        : act("Pin this session", <Pin {...icon} />, () => change({ pinned: true }, "Pinned")),
      archived
        ? act("Take out of the archive", <ArchiveRestore {...icon} />, () =>
            change({ archived: false }, "In the list again"),
          )
        : act("Archive this session", <Archive {...icon} />, () => change({ archived: true }, "Archived")),
      act("Replay this session", <History {...icon} />, async () => navigate(`/s/${session.id}/replay`)),
      ...exports.map(([format, words]) =>
        act(`Export as ${words}`, <Download {...icon} />, async () =>
          saveFile(await api.exportSession(session.id, format)),
        ),
      ),
    ];
  }, [session, api, put, show, navigate]);
}

/** The turn that runs in this gateway: one that runs in a terminal is stopped there. */
function stoppableTurn({ status }: SessionView): string | undefined {
  if (status.kind === "waiting") return status.turnId;
  return status.kind === "running" && status.elsewhere !== true ? status.turnId : undefined;
}
