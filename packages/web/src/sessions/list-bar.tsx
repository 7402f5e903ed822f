import { CaretError } from "@caret/protocol";
import { ListChecks } from "lucide-react";
import { useState } from "react";
import { usePageData } from "../data/page-data-context.tsx";
import { Button } from "../parts/button.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { showError, showToast } from "../parts/toast.tsx";
import type { Grouping } from "./session-groups.tsx";

const groupings = [
  { name: "day", label: "By day" },
  { name: "workspace", label: "By workspace" },
] as const;

interface ListBarProps {
  readonly by: Grouping;
  readonly onGroup: (by: Grouping) => void;
  /** Undefined while nothing is being chosen. */
  readonly chosen: ReadonlySet<string> | undefined;
  readonly onChosen: (chosen: ReadonlySet<string> | undefined) => void;
}

/** How the list is grouped, and the archiving of several sessions at once. */
export function ListBar({ by, onGroup, chosen, onChosen }: ListBarProps) {
  return (
    <div
      className={`mb-3 flex flex-wrap items-center justify-between gap-2 ${chosen === undefined ? "" : "sticky top-0 z-10 bg-page py-2"}`}
    >
      <Tabs chosen={by} label="Group sessions" onChoose={onGroup} tabs={groupings} />
      {chosen === undefined ? (
        <Button icon={<ListChecks aria-hidden="true" size={14} />} onClick={() => onChosen(new Set())}>
          Choose several
        </Button>
      ) : (
        <Archiving chosen={chosen} onDone={() => onChosen(undefined)} />
      )}
    </div>
  );
}

function Archiving({ chosen, onDone }: { readonly chosen: ReadonlySet<string>; readonly onDone: () => void }) {
  const { api, put } = usePageData();
  const [isBusy, setBusy] = useState(false);
  const archive = async (): Promise<void> => {
    setBusy(true);
    const answers = await Promise.allSettled([...chosen].map((id) => api.changeSession(id, { archived: true })));
    const failed = answers.filter((answer) => answer.status === "rejected");
    for (const answer of answers) if (answer.status === "fulfilled") put(answer.value);
    setBusy(false);
    const done = answers.length - failed.length;
    showToast(done === 1 ? "One session is archived" : `${done} sessions are archived`);
    if (failed[0] !== undefined) showError(CaretError.from(failed[0].reason));
    onDone();
  };
  return (
    <span className="flex items-center gap-2">
      <span className="text-[13px] text-soft" role="status">
        {chosen.size} chosen
      </span>
      <Button onClick={onDone}>Cancel</Button>
      <Button disabled={chosen.size === 0 || isBusy} onClick={() => void archive()} tone="primary">
        Archive
      </Button>
    </span>
  );
}
