import type { Excerpt } from "@caret/protocol";
import { Fragment } from "react";

/** A part of what was said, with the words that were searched for marked. */
export function ExcerptText({ excerpt: { text, marks } }: { readonly excerpt: Excerpt }) {
  const ends = [0, ...marks.map(([, to]) => to)];
  return (
    <>
      {marks.map(([from, to], index) => (
        <Fragment key={from}>
          {text.slice(ends[index], from)}
          <mark className="rounded-sm bg-warn/25 text-ink">{text.slice(from, to)}</mark>
        </Fragment>
      ))}
      {text.slice(ends.at(-1))}
    </>
  );
}
