import type { ReactNode } from "react";

interface EmptyProps {
  readonly title: string;
  readonly icon?: ReactNode;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
  /** There is nothing else on the screen: its title is the screen's. */
  readonly isScreen?: boolean;
}

/** Says why there is nothing, and what to do. */
export function Empty({ title, icon, action, children, isScreen = false }: EmptyProps) {
  const Title = isScreen ? "h1" : "p";
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-12 text-center">
      {icon !== undefined && <div className="mb-1 text-faint">{icon}</div>}
      <Title className="font-medium text-[15px]">{title}</Title>
      {children !== undefined && <div className="text-soft [overflow-wrap:anywhere]">{children}</div>}
      {action !== undefined && <div className="mt-2">{action}</div>}
    </div>
  );
}

/** That something is under way; the words beside it say what. */
export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="inline-block size-3.5 shrink-0 rounded-full border-2 border-line border-t-accent motion-safe:animate-spin"
    />
  );
}
