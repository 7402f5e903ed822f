import { tokenFills } from "./stacked-bar.tsx";
import { type TokenKind, tokenKinds, tokenWords } from "./usage-totals.ts";

interface TokenLegendProps {
  readonly hidden: ReadonlySet<TokenKind>;
  readonly onToggle: (kind: TokenKind) => void;
}

/** What the strengths of the bars mean. Each can be left out: what is read from the cache dwarfs all else. */
export function TokenLegend({ hidden, onToggle }: TokenLegendProps) {
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
