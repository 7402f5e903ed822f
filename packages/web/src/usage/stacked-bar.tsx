import { type TokenKind, tokenKinds, type UsageTotals } from "@caret/protocol";

/** One hue in four strengths, so that the stack reads without distinguishing colours. */
export const tokenFills: Readonly<Record<TokenKind, string>> = {
  output: "fill-accent",
  input: "fill-accent/55",
  cacheWrite: "fill-faint/70",
  cacheRead: "fill-faint/35",
};

interface Segment {
  readonly kind: TokenKind;
  readonly from: number;
  readonly size: number;
}

/** Where each kind of token begins and how much there is of it, from the bottom. */
export function segmentsOf({ tokens }: UsageTotals, kinds: readonly TokenKind[]): readonly Segment[] {
  let from = 0;
  return tokenKinds
    .filter((kind) => kinds.includes(kind) && (tokens[kind] ?? 0) > 0)
    .map((kind) => {
      const size = tokens[kind] ?? 0;
      const segment = { kind, from, size };
      from += size;
      return segment;
    });
}

interface StackedBarProps {
  readonly totals: UsageTotals;
  readonly kinds: readonly TokenKind[];
  /** What a bar of the whole width stands for. */
  readonly max: number;
}

/** A lying bar. It says nothing to screen readers: the numbers stand beside it. */
export function StackedBar({ totals, kinds, max }: StackedBarProps) {
  return (
    <svg aria-hidden="true" className="block h-1.5 w-full" preserveAspectRatio="none" viewBox={`0 0 ${max} 1`}>
      {segmentsOf(totals, kinds).map(({ kind, from, size }) => (
        <rect className={tokenFills[kind]} height={1} key={kind} width={size} x={from} y={0} />
      ))}
    </svg>
  );
}
