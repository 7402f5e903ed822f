import { type GrantView, markHidden, type SessionView } from "@caret/protocol";
import { useApi } from "../data/use-api.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { showError } from "../parts/toast.tsx";
import { Words } from "../parts/words.tsx";
import { LoadedView } from "../screen/loaded-view.tsx";
import { useLoaded } from "../screen/use-loaded.ts";

interface GrantsDialogProps {
  readonly session: SessionView;
  readonly onClose: () => void;
}

/** What a person has allowed for the rest of a session, each with a way to take it back. */
export function GrantsDialog({ session, onClose }: GrantsDialogProps) {
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
