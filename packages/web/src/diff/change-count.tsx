/** `+12 −3`, and in words for those who listen. */
export function ChangeCount({ additions, deletions }: { readonly additions: number; readonly deletions: number }) {
  return (
    <span className="inline-flex shrink-0 gap-1.5 font-mono text-[12px] tabular-nums">
      <span className="sr-only">
        {additions === 1 ? "1 line" : `${additions} lines`} added, {deletions} removed
      </span>
      <span aria-hidden="true" className="text-good">
        +{additions}
      </span>
      <span aria-hidden="true" className="text-bad">
        −{deletions}
      </span>
    </span>
  );
}
