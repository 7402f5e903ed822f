import type { ReactNode } from "react";

interface ScreenFrameProps {
  readonly title: string;
  /** A sentence about what this screen is for. */
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A screen that is read from top to bottom: its title, what can be done on it, and its content in a column. */
export function ScreenFrame({ title, about, actions, children }: ScreenFrameProps) {
  return (
    <div className="mx-auto w-full max-w-4xl px-4 pt-4 pb-12 sm:px-6 sm:pt-8">
      <header className="mb-4 flex flex-wrap items-start justify-between gap-x-4 gap-y-2 sm:mb-6">
        <div className="min-w-0">
          <h1 className="font-semibold text-lg leading-7">{title}</h1>
          {about !== undefined && <p className="max-w-prose text-soft">{about}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
