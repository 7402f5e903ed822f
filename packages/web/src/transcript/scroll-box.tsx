import type { ReactNode } from "react";

interface ScrollBoxProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** A long text of fixed width that scrolls by itself. */
export function ScrollBox({ label, children }: ScrollBoxProps) {
  return (
    // A group and not a region: a transcript has many, and landmarks of the same name lead nowhere.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: it groups no fields of a form
    <div role="group" tabIndex={0} aria-label={label} className="max-h-96 overflow-auto">
      <pre className="whitespace-pre-wrap px-3 py-2 font-mono text-[12px] leading-[18px] [overflow-wrap:anywhere]">
        {children}
      </pre>
    </div>
  );
}
