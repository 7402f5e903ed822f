/** A key, or several pressed together. */
export function Kbd({ keys }: { readonly keys: string }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded border border-line bg-panel px-1 font-mono text-[11px] text-soft">
      {keys}
    </kbd>
  );
}
