import { Check, Copy, X } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Button, IconButton } from "./button.tsx";

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

/** The clipboard's own interface is missing on pages that came over plain http from another machine. */
async function copyText(text: string): Promise<void> {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard !== undefined) return await clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("readonly", "");
  area.className = "sr-only";
  // Inside an open dialog, for nothing outside of it can be selected.
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (!isCopied) throw new Error("The browser refused to copy");
}
