import { Fragment } from "react";

/** A sentence of the gateway's, in which `backticks` stand around what is typed or named. */
export function Words({ text }: { readonly text: string }) {
  return text.split("`").map((part, index, all) => {
    // An odd one without a partner is only a character.
    const isCode = index % 2 === 1 && index < all.length - 1;
    const key = `${index} ${part}`;
    if (isCode)
      return (
        <code className="font-mono text-[0.93em] text-ink" key={key}>
          {part}
        </code>
      );
    return <Fragment key={key}>{index % 2 === 1 ? `\`${part}` : part}</Fragment>;
  });
}
