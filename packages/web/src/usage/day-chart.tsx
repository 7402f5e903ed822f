import { allTokens, type TokenKind, type UsageGroup } from "@caret/protocol";
import { type KeyboardEvent, useRef } from "react";
import { segmentsOf, tokenFills } from "./stacked-bar.tsx";
import { axisTicks, costWord, dayWord, tokenWord, turnsWord } from "./usage-words.ts";

interface DayChartProps {
  readonly days: readonly UsageGroup[];
  readonly kinds: readonly TokenKind[];
  readonly selected: string;
  readonly onSelect: (day: string) => void;
}

/** A standing bar for each day. Days can be pointed at, touched, or gone through with the arrow keys. */
export function DayChart({ days, kinds, selected, onSelect }: DayChartProps) {
  const ticks = axisTicks(Math.max(0, ...days.map(({ totals }) => allTokens(totals, kinds))));
  const top = ticks.at(-1) ?? 1;
  return (
    <div className="grid grid-cols-[3rem_minmax(0,1fr)] gap-x-2">
      <Axis ticks={ticks} top={top} />
      <div className="relative h-44 sm:h-56">
        {ticks.map((tick) => (
          <div
            className="absolute inset-x-0 border-line border-t"
            key={tick}
            style={{ bottom: `${(tick / top) * 100}%` }}
          />
        ))}
        <Bars days={days} kinds={kinds} selected={selected} top={top} />
        <DayButtons days={days} kinds={kinds} onSelect={onSelect} selected={selected} />
      </div>
      <span />
      <DayLabels days={days} />
    </div>
  );
}

function Axis({ ticks, top }: { readonly ticks: readonly number[]; readonly top: number }) {
  return (
    <div aria-hidden="true" className="relative text-right text-faint text-xs tabular-nums">
      {ticks.map((tick) => (
        <span className="absolute right-0 translate-y-1/2" key={tick} style={{ bottom: `${(tick / top) * 100}%` }}>
          {tokenWord(tick)}
        </span>
      ))}
    </div>
  );
}

interface BarsProps extends Omit<DayChartProps, "onSelect"> {
  readonly top: number;
}

function Bars({ days, kinds, selected, top }: BarsProps) {
  const gap = days.length > 31 ? 0.1 : 0.16;
  return (
    <svg
      aria-hidden="true"
      className="absolute inset-0 h-full w-full"
      preserveAspectRatio="none"
      viewBox={`0 0 ${days.length} ${top}`}
    >
      {days.map(({ key, totals }, index) => (
        <g key={key}>
          {key === selected && <rect className="fill-ink/6" height={top} width={1} x={index} y={0} />}
          {segmentsOf(totals, kinds).map(({ kind, from, size }) => (
            <rect
              className={tokenFills[kind]}
              height={size}
              key={kind}
              width={1 - 2 * gap}
              x={index + gap}
              y={top - from - size}
            />
          ))}
        </g>
      ))}
    </svg>
  );
}

/** One stop for the Tab key, whatever the number of days. */
function DayButtons({ days, kinds, selected, onSelect }: DayChartProps) {
  const row = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      Home: -days.length,
      End: days.length,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const now = days.findIndex(({ key }) => key === selected);
    const next = Math.min(days.length - 1, Math.max(0, now + step));
    onSelect(days[next]?.key ?? selected);
    const button = row.current?.children[next];
    if (button instanceof HTMLElement) button.focus();
  };
  return (
    <div className="absolute inset-0 flex" ref={row}>
      {days.map(({ key, totals }) => (
        <button
          aria-label={`${dayWord(key)}: ${turnsWord(totals.turns)}, ${tokenWord(allTokens(totals, kinds))} tokens, cost ${costWord(totals)}`}
          className="min-w-0 flex-1 cursor-default"
          key={key}
          onClick={() => onSelect(key)}
          onKeyDown={move}
          onPointerEnter={() => onSelect(key)}
          tabIndex={key === selected ? 0 : -1}
          type="button"
        />
      ))}
    </div>
  );
}

function DayLabels({ days }: { readonly days: readonly UsageGroup[] }) {
  const middle = Math.floor((days.length - 1) / 2);
  const shown = days.length <= 7 ? days : [days[0], days[middle], days.at(-1)].filter((day) => day !== undefined);
  const isEach = days.length <= 7;
  return (
    <div aria-hidden="true" className={`flex pt-1 text-faint text-xs ${isEach ? "" : "justify-between"}`}>
      {shown.map(({ key }) => (
        <span className={isEach ? "flex-1 text-center" : ""} key={key}>
          {dayWord(key)}
        </span>
      ))}
    </div>
  );
}
