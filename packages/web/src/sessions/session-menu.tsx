import { type GrantView, markHidden, type SessionView } from "@caret/protocol";
import { Archive, ArchiveRestore, EllipsisVertical, Pencil, ShieldCheck, Trash2 } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { usePageData } from "../data/page-data-context.tsx";
import { useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ErrorNote, toErrorInfo } from "../parts/error-note.tsx";
import { Field, TextInput, Words } from "../parts/field.tsx";
import { Menu } from "../parts/menu.tsx";
import { showError, showToast } from "../parts/toast.tsx";
import { LoadedView, useLoaded } from "../screen/loaded-view.tsx";

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

interface RenameDialogProps {
  readonly session: SessionView;
  readonly onClose: () => void;
}

function RenameDialog({ session, onClose }: RenameDialogProps) {
  const { api, put } = usePageData();
  const formId = useId();
  const [title, setTitle] = useState(session.title);
  const [error, setError] = useState<unknown>();
  const rename = async (): Promise<void> => {
    put(await api.changeSession(session.id, { title: title.trim() }));
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    rename().catch(setError);
  };
  return (
    <Dialog
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button disabled={title.trim() === ""} form={formId} tone="primary" type="submit">
            Rename
          </Button>
        </>
      }
      onClose={onClose}
      title="Rename session"
    >
      <form className="flex flex-col gap-3" id={formId} onSubmit={submit}>
        <Field label="Title">
          {(ids) => (
            <TextInput
              {...ids}
              maxLength={200}
              onChange={(event) => setTitle(event.target.value)}
              onFocus={(event) => event.target.select()}
              value={title}
            />
          )}
        </Field>
        {error !== undefined && <ErrorNote error={toErrorInfo(error)} />}
      </form>
    </Dialog>
  );
}
