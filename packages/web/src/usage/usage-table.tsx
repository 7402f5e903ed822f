import {
  allTokens,
  costCell,
  type TokenKind,
  tokenCell,
  tokenWords,
  type UsageGroup,
  type UsageTotals,
} from "@caret/protocol";
import type { ReactNode } from "react";
import { StackedBar } from "./stacked-bar.tsx";
import { costWord, exactCount } from "./usage-words.ts";

interface UsageTableProps {
  readonly caption: string;
  readonly subject: string;
  readonly groups: readonly UsageGroup[];
  readonly nameOf: (key: string) => ReactNode;
  /** Draws a bar under each name. */
  readonly bars?: readonly TokenKind[];
}

const columns: readonly TokenKind[] = ["input", "cacheRead", "cacheWrite", "output"];
/** There is no room for it on a phone; it is in the sum above the table. */
const narrow = (kind: TokenKind): string => (kind === "cacheWrite" ? "hidden sm:table-cell" : "");

/** What is further down hardly counts, and each session's title may have to be asked for. */
const MOST_ROWS = 90;

/** The figures themselves: what a plot shows, for readers who cannot see it or want exact figures. */
export function UsageTable({ caption, subject, groups, nameOf, bars }: UsageTableProps) {
  const max = Math.max(1, ...groups.map(({ totals }) => allTokens(totals, bars)));
  // Names are longer than days: on a phone they get the room of a column.
  const isGrouped = bars !== undefined;
  const rest = groups.length - MOST_ROWS;
  return (
    <>
      <table className="w-full table-fixed border-collapse text-[13px] tabular-nums">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-line border-b text-faint text-xs">
            <th
              className={`py-1.5 pr-2 text-left font-normal sm:w-[34%] ${isGrouped ? "w-[30%]" : "w-[20%]"}`}
              scope="col"
            >
              {subject}
            </th>
            <Head className={isGrouped ? "hidden sm:table-cell" : ""} text="Turns" />
            {columns.map((kind) => (
              <Head className={narrow(kind)} key={kind} text={tokenWords[kind]} />
            ))}
            <Head text="Cost" />
          </tr>
        </thead>
        <tbody>
          {groups.slice(0, MOST_ROWS).map(({ key, totals }) => (
            <tr className="border-line border-b align-top" key={key}>
              <th className="py-1.5 pr-2 text-left font-normal" scope="row">
                <span className="block truncate">{nameOf(key)}</span>
                {isGrouped && <StackedBar kinds={bars} max={max} totals={totals} />}
              </th>
              <Figures isGrouped={isGrouped} totals={totals} />
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-2 text-faint text-xs">
        – means unknown.{rest > 0 && ` ${exactCount(rest)} smaller ones are left out.`}
      </p>
    </>
  );
}

function Head({ text, className = "" }: { readonly text: string; readonly className?: string }) {
  return (
    <th className={`py-1.5 pl-2 text-right align-bottom font-normal ${className}`} scope="col">
      {text}
    </th>
  );
}

function Figures({ totals, isGrouped }: { readonly totals: UsageTotals; readonly isGrouped: boolean }) {
  return (
    <>
      <Figure className={isGrouped ? "hidden sm:table-cell" : ""} text={exactCount(totals.turns)} />
      {columns.map((kind) => (
        <Figure
          className={narrow(kind)}
          isUnknown={totals.tokens[kind] === undefined}
          key={kind}
          text={tokenCell(totals.tokens[kind])}
          title={exactCount(totals.tokens[kind])}
        />
      ))}
      <Figure isUnknown={totals.cost === undefined} text={costCell(totals)} title={costWord(totals)} />
    </>
  );
}

interface FigureProps {
  readonly text: string;
  readonly title?: string;
  readonly className?: string;
  readonly isUnknown?: boolean;
}

function Figure({ text, title, className = "", isUnknown = false }: FigureProps) {
  return (
    <td
      className={`whitespace-nowrap py-1.5 pl-2 text-right ${isUnknown ? "text-faint" : "text-ink"} ${className}`}
      title={title}
    >
      {isUnknown ? (
        <>
          <span aria-hidden="true">{text}</span>
          <span className="sr-only">unknown</span>
        </>
      ) : (
        text
      )}
    </td>
  );
}
