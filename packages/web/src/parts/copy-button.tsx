import { Check, Copy, X } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Button } from "./button.tsx";
import { copyText } from "./copy-text.ts";
import { IconButton } from "./icon-button.tsx";

interface CopyButtonProps {
  /** A function is asked when it is pressed: for texts that are costly to make. */
  readonly text: string | (() => string);
  readonly label: string;
  /** Beside the icon; without it there is only the icon. */
  readonly children?: ReactNode;
}

const SHOWN_MS = 1500;

export function CopyButton({ text, label, children }: CopyButtonProps) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  useEffect(() => {
    if (state === "ready") return;
    const timer = setTimeout(setState, SHOWN_MS, "ready");
    return () => clearTimeout(timer);
  }, [state]);
  const copy = (): void => {
    copyText(typeof text === "string" ? text : text()).then(
      () => setState("copied"),
      () => setState("failed"),
    );
  };
  const icon = icons[state];
  const words = state === "ready" ? label : state === "copied" ? "Copied" : "Copying failed";
  return (
    <>
      {children === undefined ? (
        <IconButton icon={icon} label={words} onClick={copy} />
      ) : (
        <Button icon={icon} onClick={copy}>
          {children}
        </Button>
      )}
      <span aria-live="polite" className="sr-only">
        {state === "ready" ? "" : words}
      </span>
    </>
  );
}

const icons = {
  ready: <Copy aria-hidden="true" size={14} />,
  copied: <Check aria-hidden="true" className="text-good" size={14} />,
  failed: <X aria-hidden="true" className="text-bad" size={14} />,
};
