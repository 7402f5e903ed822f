import type { SessionView } from "@caret/protocol";
import { Archive, ArchiveRestore, EllipsisVertical, Pencil, ShieldCheck, Trash2 } from "lucide-react";
import { useState } from "react";
import { usePageData } from "../data/page-data-context.tsx";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { Menu } from "../parts/menu.tsx";
import { showError, showToast } from "../parts/toast.tsx";
import { GrantsDialog } from "./grants-dialog.tsx";
import { RenameDialog } from "./rename-dialog.tsx";

interface SessionMenuProps {
  readonly session: SessionView;
  /** Called when the session is gone. */
  readonly onDeleted?: () => void;
}

const icon = { "aria-hidden": true, size: 14 } as const;

/** What can be done to a session as a whole. */
export function SessionMenu({ session, onDeleted }: SessionMenuProps) {
  const { api, put, forget } = usePageData();
  const [dialog, setDialog] = useState<"rename" | "delete" | "grants">();
  const { id, archived } = session;
  const title = session.title || "Untitled";
  const setArchived = async (): Promise<void> => {
    put(await api.changeSession(id, { archived: !archived }));
    showToast(archived ? `“${title}” is in the list again` : `“${title}” is archived`);
  };
  const remove = async (): Promise<void> => {
    await api.deleteSession(id);
    forget(id);
    onDeleted?.();
  };
  const close = (): void => setDialog(undefined);
  return (
    <>
      <Menu
        icon={<EllipsisVertical aria-hidden="true" size={16} />}
        items={[
          { label: "Rename", icon: <Pencil {...icon} />, onChoose: () => setDialog("rename") },
          { label: "Allowed in this session", icon: <ShieldCheck {...icon} />, onChoose: () => setDialog("grants") },
          {
            label: archived ? "Take out of the archive" : "Archive",
            icon: archived ? <ArchiveRestore {...icon} /> : <Archive {...icon} />,
            onChoose: () => {
              setArchived().catch(showError);
            },
          },
          { label: "Delete", icon: <Trash2 {...icon} />, tone: "danger", onChoose: () => setDialog("delete") },
        ]}
        label={`Actions for ${title}`}
      />
      {dialog === "rename" && <RenameDialog onClose={close} session={session} />}
      {dialog === "grants" && <GrantsDialog onClose={close} session={session} />}
      {dialog === "delete" && (
        <ConfirmDialog action="Delete" onClose={close} onConfirm={remove} title="Delete this session?">
          “{title}” and its whole log are deleted for good. Files in its workspace stay as they are.
        </ConfirmDialog>
      )}
    </>
  );
}
