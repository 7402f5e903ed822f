import type { ReactNode } from "react";
import { CopyButton } from "../parts/copy-button.tsx";

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

interface CodeBlockProps {
  /** Where it belongs: a file, or the terminal. */
  readonly target: string;
  readonly text: string;
}

/** Text to be copied somewhere else, with where that is. */
export function CodeBlock({ target, text }: CodeBlockProps) {
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-raised">
      <figcaption className="flex min-h-10 items-center justify-between gap-2 border-line border-b bg-panel pr-1 pl-3">
        <span className="truncate font-mono text-[13px] text-soft">{target}</span>
        <CopyButton label={`Copy for ${target}`} text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard */}
      <pre className="overflow-x-auto p-3 font-mono text-[13px] leading-5" tabIndex={0}>
        {text}
      </pre>
    </figure>
  );
}
