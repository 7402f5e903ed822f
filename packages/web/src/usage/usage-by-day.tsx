import { type TokenKind, tokenKinds, tokenWords, type UsageGroup, type UsageRow, usageByDay } from "@caret/protocol";
import { useMemo, useState } from "react";
import { DayChart } from "./day-chart.tsx";
import { tokenFills } from "./stacked-bar.tsx";
import { UsageTable } from "./usage-table.tsx";
import { costWord, dayWord, tokenWord, turnsWord } from "./usage-words.ts";

interface UsageByDayProps {
  readonly rows: readonly UsageRow[];
  readonly days: number;
  readonly now: number;
}

export function UsageByDay({ rows, days, now }: UsageByDayProps) {
  const [hidden, setHidden] = useState<ReadonlySet<TokenKind>>(new Set());
  const [pointed, setPointed] = useState("");
  const groups = useMemo(() => usageByDay(rows, days, now), [rows, days, now]);
  const kinds = tokenKinds.filter((kind) => !hidden.has(kind));
  const selected = groups.find(({ key }) => key === pointed) ?? groups.at(-1);
  const toggle = (kind: TokenKind): void => {
    const next = new Set(hidden);
    if (!next.delete(kind)) next.add(kind);
    setHidden(next);
  };
  return (
    <>
      <DayChart days={groups} kinds={kinds} onSelect={setPointed} selected={selected?.key ?? ""} />
      {selected !== undefined && <Readout day={selected} />}
      <TokenLegend hidden={hidden} onToggle={toggle} />
      <div className="mt-6">
        <UsageTable
          caption="Usage by day"
          groups={groups.filter(({ totals }) => totals.turns > 0).toReversed()}
          nameOf={dayWord}
          subject="Day (UTC)"
        />
      </div>
    </>
  );
}

/** The day that is pointed at, in words. */
function Readout({ day: { key, totals } }: { readonly day: UsageGroup }) {
  const parts =
    totals.turns === 0
      ? ["no turns"]
      : [
          turnsWord(totals.turns),
          ...tokenKinds
            .filter((kind) => totals.tokens[kind] !== undefined)
            .map((kind) => `${tokenWords[kind].toLowerCase()} ${tokenWord(totals.tokens[kind])}`),
          `cost ${costWord(totals)}`,
        ];
  return (
    <p className="mt-2 min-h-10 text-[13px] text-soft tabular-nums sm:min-h-5">
      <span className="font-medium text-ink">{dayWord(key)}</span> · {parts.join(" · ")}
    </p>
  );
}

interface TokenLegendProps {
  readonly hidden: ReadonlySet<TokenKind>;
  readonly onToggle: (kind: TokenKind) => void;
}

/** What the strengths of the bars mean. Each can be left out: what is read from the cache dwarfs all else. */
function TokenLegend({ hidden, onToggle }: TokenLegendProps) {
  return (
    <fieldset className="mt-2 flex flex-wrap gap-1">
      <legend className="sr-only">Kinds of tokens in the plot</legend>
      {tokenKinds.map((kind) => (
        <button
          aria-pressed={!hidden.has(kind)}
          className={`flex min-h-8 cursor-pointer items-center gap-1.5 rounded-md px-2 text-[13px] hover:bg-panel max-sm:min-h-10 ${
            hidden.has(kind) ? "text-faint line-through" : "text-soft"
          }`}
          key={kind}
          onClick={() => onToggle(kind)}
          type="button"
        >
          <svg aria-hidden="true" className="size-3 rounded-xs" viewBox="0 0 1 1">
            <rect className={tokenFills[kind]} height={1} width={1} />
          </svg>
          {tokenWords[kind]}
        </button>
      ))}
    </fieldset>
  );
}
