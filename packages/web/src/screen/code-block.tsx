import { CopyButton } from "../parts/copy-button.tsx";

interface CodeBlockProps {
  /** Where it belongs: a file, or the terminal. */
  readonly place: string;
  readonly text: string;
}

/** Text to be copied somewhere else, with where that is. */
export function CodeBlock({ place, text }: CodeBlockProps) {
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-raised">
      <figcaption className="flex min-h-10 items-center justify-between gap-2 border-line border-b bg-panel pr-1 pl-3">
        <span className="truncate font-mono text-[13px] text-soft">{place}</span>
        <CopyButton label={`Copy for ${place}`} text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard */}
      <pre className="overflow-x-auto p-3 font-mono text-[13px] leading-5" tabIndex={0}>
        {text}
      </pre>
    </figure>
  );
}
