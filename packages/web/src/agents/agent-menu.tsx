import type { AgentView } from "@caret/protocol";
import { CirclePause, CirclePlay, CircleStop, EllipsisVertical, GitMerge, ScrollText, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useApi } from "../data/page-hooks.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { showError, showToast } from "../parts/toast.tsx";
import { MergeDialog } from "./merge-dialog.tsx";

interface AgentMenuProps {
  readonly agent: AgentView;
  readonly onChange: () => void;
}

const icon = { "aria-hidden": true, size: 14 } as const;

/** What can be done to an agent. */
export function AgentMenu({ agent, onChange }: AgentMenuProps) {
  const api = useApi();
  const [, go] = useLocation();
  const [dialog, setDialog] = useState<"remove" | "stop" | "merge">();
  const { name, sessionId, doing, waiting, worktree } = agent;
  const run = (work: Promise<unknown>, done: string): void => {
    work.then(() => showToast(done), showError).finally(onChange);
  };
  const close = (): void => setDialog(undefined);
  const isBusy = doing.kind === "running" || doing.kind === "waiting";
  const items: readonly MenuItem[] = [
    { label: "Open transcript", icon: <ScrollText {...icon} />, onChoose: () => go(`/s/${sessionId}`) },
    doing.kind === "suspended"
      ? {
          label: "Resume",
          icon: <CirclePlay {...icon} />,
          onChoose: () => run(api.resumeAgent(name), `${name} goes on`),
        }
      : {
          label: isBusy ? "Suspend after this turn" : "Suspend",
          icon: <CirclePause {...icon} />,
          onChoose: () =>
            run(api.suspendAgent(name), isBusy ? `${name} is suspended when its turn ends` : `${name} is suspended`),
        },
    ...(isBusy || waiting > 0
      ? [{ label: "Stop", icon: <CircleStop {...icon} />, onChoose: () => setDialog("stop") }]
      : []),
    ...(worktree === undefined
      ? []
      : [{ label: "Merge its work", icon: <GitMerge {...icon} />, onChoose: () => setDialog("merge") }]),
    { label: "Remove", icon: <Trash2 {...icon} />, tone: "danger", onChoose: () => setDialog("remove") },
  ];
  return (
    <>
      <Menu icon={<EllipsisVertical aria-hidden="true" size={16} />} items={items} label={`Actions for ${name}`} />
      {dialog === "stop" && <StopDialog agent={agent} onChange={onChange} onClose={close} />}
      {dialog === "remove" && <RemoveDialog agent={agent} onChange={onChange} onClose={close} />}
      {dialog === "merge" && <MergeDialog name={name} onClose={close} onMerged={onChange} />}
    </>
  );
}

interface AgentDialogProps extends AgentMenuProps {
  readonly onClose: () => void;
}

function StopDialog({ agent: { name, waiting }, onChange, onClose }: AgentDialogProps) {
  const api = useApi();
  const stop = (): Promise<void> => api.stopAgent(name).then(onChange);
  return (
    <ConfirmDialog action="Stop" onClose={onClose} onConfirm={stop} title={`Stop ${name}?`}>
      Its turn is cancelled and {waiting === 1 ? "1 message that waits is" : `${waiting} messages that wait are`}{" "}
      dropped. “Suspend” keeps them.
    </ConfirmDialog>
  );
}

function RemoveDialog({ agent: { name, worktree }, onChange, onClose }: AgentDialogProps) {
  const api = useApi();
  const remove = (): Promise<void> => api.removeAgent(name).then(onChange);
  return (
    <ConfirmDialog action="Remove" onClose={onClose} onConfirm={remove} title={`Remove ${name}?`}>
      {worktree === undefined
        ? "Its session and its queue are deleted for good. Files in its workspace stay as they are."
        : "Its session, its queue and its worktree are deleted for good. With what nothing else has, such as work that was not merged or files that Git ignores, it is refused."}
    </ConfirmDialog>
  );
}
