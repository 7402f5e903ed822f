import type { UsageRow } from "@caret/protocol";
import { useState } from "react";
import { Link } from "wouter";
import { useApi } from "../data/use-api.ts";
import { useSession } from "../data/use-session.ts";
import { Empty } from "../parts/empty.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { LoadedView } from "../screen/loaded-view.tsx";
import { ScreenFrame } from "../screen/screen-frame.tsx";
import { useLoaded } from "../screen/use-loaded.ts";
import { UsageByDay } from "./usage-by-day.tsx";
import { UsageSummary } from "./usage-summary.tsx";
import { UsageTable } from "./usage-table.tsx";
import { groupUsage, tokenKinds, totalUsage } from "./usage-totals.ts";

const ranges = [
  { name: "7", label: "7 days" },
  { name: "30", label: "30 days" },
  { name: "90", label: "90 days" },
] as const;

const cuts = [
  { name: "day", label: "By day" },
  { name: "model", label: "By model" },
  { name: "session", label: "By session" },
] as const;
type Cut = (typeof cuts)[number]["name"];
type Range = (typeof ranges)[number]["name"];

/** What was used, as upstream reported it: by day, model or session. */
export function UsageScreen() {
  const api = useApi();
  const [range, setRange] = useState<Range>("30");
  const [cut, setCut] = useState<Cut>("day");
  const days = Number(range);
  const usage = useLoaded(`usage ${days}`, (signal) => api.usage(days, { signal }));
  return (
    <ScreenFrame
      about="Tokens as Cursor reports them. What it does not report is said to be unknown."
      actions={<Tabs chosen={range} label="Time" onChoose={setRange} tabs={ranges} />}
      title="Usage"
    >
      <LoadedView loaded={usage} waiting="Adding up">
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No turns yet">In the last {days} days nothing was asked of an agent here.</Empty>
          ) : (
            <>
              <UsageSummary totals={totalUsage(rows)} />
              <div className="mt-6 mb-4">
                <Tabs chosen={cut} label="Show" onChoose={setCut} tabs={cuts} />
              </div>
              <UsageCut cut={cut} days={days} now={usage.loadedAt ?? 0} rows={rows} />
            </>
          )
        }
      </LoadedView>
    </ScreenFrame>
  );
}

interface UsageCutProps {
  readonly cut: Cut;
  readonly days: number;
  readonly now: number;
  readonly rows: readonly UsageRow[];
}

function UsageCut({ cut, days, now, rows }: UsageCutProps) {
  if (cut === "day") return <UsageByDay days={days} now={now} rows={rows} />;
  if (cut === "model")
    return (
      <UsageTable
        bars={tokenKinds}
        caption="Usage by model"
        groups={groupUsage(rows, "model")}
        nameOf={(model) => model}
        subject="Model"
      />
    );
  return (
    <UsageTable
      bars={tokenKinds}
      caption="Usage by session"
      groups={groupUsage(rows, "sessionId")}
      nameOf={(sessionId) => <SessionName sessionId={sessionId} />}
      subject="Session"
    />
  );
}

function SessionName({ sessionId }: { readonly sessionId: string }) {
  const session = useSession(sessionId);
  return (
    <Link className="hover:underline" href={`/s/${sessionId}`}>
      {session?.title ?? sessionId}
    </Link>
  );
}
