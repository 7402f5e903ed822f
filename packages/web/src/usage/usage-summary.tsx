import { cacheShare, type UsageTotals } from "@caret/protocol";
import { costNote, costWord, exactCount, tokenWord, turnsWord } from "./usage-words.ts";

/** The sums of the whole time, with what they leave out. */
export function UsageSummary({ totals }: { readonly totals: UsageTotals }) {
  const { tokens, turns, uncountedTurns } = totals;
  const share = cacheShare(totals);
  const cached = share === undefined ? "cache unknown" : `${Math.round(share * 100)}% from the cache`;
  const isKnown = tokens.input !== undefined || tokens.cacheRead !== undefined;
  const prompt = (tokens.input ?? 0) + (tokens.cacheRead ?? 0) + (tokens.cacheWrite ?? 0);
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-4">
      <Sum label="Cost" note={costNote(totals)} value={costWord(totals)} />
      <Sum label="Input" note={cached} value={tokenWord(isKnown ? prompt : undefined)} />
      <Sum label="Output" note="tokens, thinking included" value={tokenWord(tokens.output)} />
      <Sum
        label="Turns"
        note={uncountedTurns === 0 ? "all with counts" : `no counts for ${turnsWord(uncountedTurns)}`}
        value={exactCount(turns)}
      />
    </dl>
  );
}

function Sum({ label, value, note }: { readonly label: string; readonly value: string; readonly note: string }) {
  return (
    <div className="bg-raised px-3 py-2.5 sm:px-4">
      <dt className="text-soft text-xs">{label}</dt>
      <dd className="truncate font-semibold text-lg tabular-nums leading-7">{value}</dd>
      <dd className="text-faint text-xs">{note}</dd>
    </div>
  );
}
