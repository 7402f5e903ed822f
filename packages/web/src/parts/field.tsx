import { type ComponentProps, Fragment, type ReactNode, useId } from "react";

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** Gets the ids that tie it to the label and the hint. */
  readonly children: (ids: { readonly id: string; readonly "aria-describedby"?: string }) => ReactNode;
}

const box =
  "w-full rounded-md border border-faint/50 bg-raised px-2.5 text-[16px] text-ink placeholder:text-faint disabled:opacity-50 md:text-[14px]";

/** A label, whatever it labels, and a sentence of help. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label className="font-medium text-[13px] text-soft" htmlFor={id}>
        {label}
      </label>
      {children(hint === undefined ? { id } : { id, "aria-describedby": hintId })}
      {hint !== undefined && (
        <p className="text-[12px] text-faint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

export function TextInput({ className = "", ...rest }: ComponentProps<"input">) {
  return <input className={`${box} min-h-10 md:min-h-8 ${className}`} type="text" {...rest} />;
}

export function TextArea({ className = "", ...rest }: ComponentProps<"textarea">) {
  return <textarea className={`${box} py-1.5 ${className}`} {...rest} />;
}

export function Select({ className = "", ...rest }: ComponentProps<"select">) {
  return <select className={`${box} min-h-10 md:min-h-8 ${className}`} {...rest} />;
}

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
