import { type ReactNode, useLayoutEffect, useRef, useState } from "react";

interface ScrollBoxProps {
  readonly label: string;
  readonly children: ReactNode;
  /** Say below it that there is more than is in sight: scroll bars are hidden on many machines. */
  readonly isCounted?: boolean;
}

/** A long text of fixed width that scrolls by itself. */
export function ScrollBox({ label, children, isCounted = false }: ScrollBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isCut, setCut] = useState(false);
  useLayoutEffect(() => {
    const { scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    setCut(isCounted && scrollHeight > clientHeight + 1);
  }, [isCounted]);
  return (
    <>
      {/* A group and not a region: a transcript has many, and landmarks of the same name lead nowhere. */}
      {/* biome-ignore lint/a11y/useSemanticElements: it groups no fields of a form */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <div ref={box} role="group" tabIndex={0} aria-label={label} className="max-h-96 overflow-auto">
        <pre className="whitespace-pre-wrap px-3 py-2 font-mono text-[12px] leading-[18px] [overflow-wrap:anywhere]">
          {children}
        </pre>
      </div>
      {isCut && <p className="px-3 pb-2 font-medium text-[12px] text-warn">There is more of it: scroll to its end.</p>}
    </>
  );
}
