import { type GrantView, markHidden, type SessionView } from "@caret/protocol";
import { Archive, ArchiveRestore, EllipsisVertical, Pencil, Pin, PinOff, ShieldCheck, Trash2 } from "lucide-react";
import { useState } from "react";
import { usePageData } from "../data/page-data-context.tsx";
import { useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Words } from "../parts/field.tsx";
import { Menu } from "../parts/menu.tsx";
import { showError, showToast } from "../parts/toast.tsx";
import { LoadedView, useLoaded } from "../screen/loaded-view.tsx";
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
  const { id, archived, pinned = false } = session;
  const title = session.title || "Untitled";
  const setArchived = async (): Promise<void> => {
    put(await api.changeSession(id, { archived: !archived }));
    showToast(archived ? `“${title}” is in the list again` : `“${title}” is archived`);
  };
  const setPinned = async (): Promise<void> => put(await api.changeSession(id, { pinned: !pinned }));
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
            label: pinned ? "Unpin" : "Pin",
            icon: pinned ? <PinOff {...icon} /> : <Pin {...icon} />,
            onChoose: () => {
              setPinned().catch(showError);
            },
          },
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

interface GrantsDialogProps {
  readonly session: SessionView;
  readonly onClose: () => void;
}

/** What a person has allowed for the rest of a session, each with a way to take it back. */
function GrantsDialog({ session, onClose }: GrantsDialogProps) {
  const api = useApi();
  const grants = useLoaded(session.id, (signal) => api.listGrants(session.id, { signal }));
  const revoke = (grantId: string): void => {
    api.revokeGrant(session.id, grantId).then(grants.reload, showError);
  };
  return (
    <Dialog onClose={onClose} title="Allowed in this session">
      <LoadedView loaded={grants} waiting="Reading what is allowed">
        {(list) =>
          list.length === 0 ? (
            <p className="text-soft">Nothing yet: every approval so far was for one call.</p>
          ) : (
            <ul className="flex flex-col gap-2">
              {list.map((grant) => (
                <Grant grant={grant} key={grant.id} onRevoke={() => revoke(grant.id)} />
              ))}
            </ul>
          )
        }
      </LoadedView>
    </Dialog>
  );
}

function Grant({ grant, onRevoke }: { readonly grant: GrantView; readonly onRevoke: () => void }) {
  return (
    <li className="flex items-center gap-3">
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <Words text={markHidden(grant.label)} />
        <span className="block text-[12px] text-faint">used {grant.uses === 1 ? "once" : `${grant.uses} times`}</span>
      </span>
      <Button onClick={onRevoke}>Revoke</Button>
    </li>
  );
}
