import { groupUsage, tokenKinds, totalUsage, type UsageRow } from "@caret/protocol";
import { useState } from "react";
import { Link } from "wouter";
import { useAbout, useApi } from "../data/page-hooks.ts";
import { SimulatedBadge } from "../parts/badge.tsx";
import { Empty } from "../parts/placeholders.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { LoadedView, useLoaded } from "../screen/loaded-view.tsx";
import { ScreenFrame } from "../screen/screen-frame.tsx";
import { isSimulated } from "../screen/simulated-note.tsx";
import { BudgetPanel } from "./budget-panel.tsx";
import { UsageByDay } from "./usage-by-day.tsx";
import { UsageSummary } from "./usage-summary.tsx";
import { UsageTable } from "./usage-table.tsx";

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

/** What was used, by day, model or session; what was simulated for itself. */
export function UsageScreen() {
  const api = useApi();
  const [range, setRange] = useState<Range>("30");
  // Kept here, so that another range is shown in the same way.
  const [view, setView] = useState<View>({ cut: "day", source: "real" });
  const days = Number(range);
  const usage = useLoaded(`usage ${days}`, (signal) => api.usage(days, { signal }));
  return (
    <ScreenFrame
      about="Tokens as the agent reports them; cost at Cursor's list prices."
      actions={<Tabs chosen={range} label="Time" onChoose={setRange} tabs={ranges} />}
      title="Usage"
    >
      <BudgetPanel />
      <LoadedView loaded={usage} waiting="Adding up">
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No turns yet">In the last {days} days nothing was asked of an agent here.</Empty>
          ) : (
            <UsageView days={days} now={usage.loadedAt ?? 0} onView={setView} rows={rows} view={view} />
          )
        }
      </LoadedView>
    </ScreenFrame>
  );
}

const sources = [
  { name: "real", label: "Cursor" },
  { name: "simulated", label: "Simulated" },
] as const;
type Source = (typeof sources)[number]["name"];

interface View {
  readonly cut: Cut;
  readonly source: Source;
}

interface UsageViewProps extends Omit<UsageCutProps, "cut"> {
  readonly view: View;
  readonly onView: (view: View) => void;
}

/** Simulated turns cost nothing and say nothing of what Cursor's would: they are never added to those. */
function UsageView({ rows, days, now, view, onView }: UsageViewProps) {
  const about = useAbout();
  const { cut, source: wanted } = view;
  const bySource = Map.groupBy(rows, ({ lane }): Source => (isSimulated(about, lane) ? "simulated" : "real"));
  const source = bySource.has(wanted) ? wanted : wanted === "real" ? "simulated" : "real";
  const shown = bySource.get(source) ?? [];
  return (
    <>
      {bySource.size > 1 && (
        <div className="mb-4">
          <Tabs
            chosen={source}
            label="Turns of"
            onChoose={(chosen) => onView({ ...view, source: chosen })}
            tabs={sources}
          />
        </div>
      )}
      {source === "simulated" && (
        <p className="mb-4 flex items-center gap-2 text-[13px] text-soft">
          <SimulatedBadge /> Counts are made up and nothing was paid: the cost is what such turns would cost.
        </p>
      )}
      <UsageSummary totals={totalUsage(shown)} />
      <div className="mt-6 mb-4">
        <Tabs chosen={cut} label="Show" onChoose={(chosen) => onView({ ...view, cut: chosen })} tabs={cuts} />
      </div>
      <UsageCut cut={cut} days={days} now={now} rows={shown} />
    </>
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
        groups={groupUsage(rows, ({ model }) => model)}
        nameOf={(model) => model}
        subject="Model"
      />
    );
  const titles = new Map(rows.map(({ sessionId, title }) => [sessionId, title]));
  return (
    <UsageTable
      bars={tokenKinds}
      caption="Usage by session"
      groups={groupUsage(rows, ({ sessionId, title }) => (title === undefined ? DELETED : sessionId))}
      nameOf={(sessionId) => <SessionName sessionId={sessionId} title={titles.get(sessionId)} />}
      subject="Session"
    />
  );
}

/** Stands for every session that is gone: side calls of clients are, soon after they end. */
const DELETED = "";

function SessionName({ sessionId, title }: { readonly sessionId: string; readonly title: string | undefined }) {
  if (sessionId === DELETED) return "Deleted sessions and side calls";
  return (
    <Link className="hover:underline" href={`/s/${sessionId}`}>
      {title || "Untitled"}
    </Link>
  );
}
