import type { ReactNode } from "react";

interface ScrollBoxProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** A long text of fixed width that scrolls by itself. */
export function ScrollBox({ label, children }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
    <section tabIndex={0} aria-label={label} className="max-h-96 overflow-auto">
      <pre className="whitespace-pre-wrap px-3 py-2 font-mono text-[12px] leading-[18px] [overflow-wrap:anywhere]">
        {children}
      </pre>
    </section>
  );
}
