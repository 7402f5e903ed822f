import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { IconButton } from "./button.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons below what it says. */
  readonly footer?: ReactNode;
  readonly isWide?: boolean;
  /** Nothing in it takes the focus: it takes it itself, so that the keyboard can scroll it. */
  readonly isText?: boolean;
}

/** Open as long as it is rendered. Escape, the cross and a press beside it close it; focus stays inside meanwhile. */
export function Dialog({ title, onClose, children, footer, isWide = false, isText = false }: DialogProps) {
  const titleId = useId();
  return (
    <ModalDialog
      className={`m-auto max-h-[85dvh] w-[calc(100vw-2rem)] flex-col rounded-lg border border-line bg-raised p-0 shadow-xl backdrop:bg-black/40 open:flex ${isWide ? "max-w-2xl" : "max-w-md"}`}
      labelledBy={titleId}
      onClose={onClose}
    >
      <div className="flex items-center gap-2 border-line border-b py-1 pr-2 pl-4 md:py-2">
        <h2 className="flex-1 font-semibold text-[15px]" id={titleId}>
          {title}
        </h2>
        <IconButton icon={<X aria-hidden="true" size={16} />} label="Close" onClick={onClose} />
      </div>
      <div className="min-h-0 overflow-auto p-4" tabIndex={isText ? 0 : undefined}>
        {children}
      </div>
      {footer !== undefined && (
        <div className="flex flex-wrap justify-end gap-2 border-line border-t px-4 py-3">{footer}</div>
      )}
    </ModalDialog>
  );
}

interface ModalDialogProps {
  readonly className: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly label?: string;
  readonly labelledBy?: string;
}

/** A dialog with nothing in it yet. */
export function ModalDialog({ className, onClose, children, label, labelledBy }: ModalDialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // The browser would focus the cross, which a typed space presses.
    dialog?.querySelector<HTMLElement>("input:not([type=file]), textarea, select")?.focus();
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard's way out is Escape, which the dialog itself knows
    <dialog
      aria-label={label}
      aria-labelledby={labelledBy}
      className={`text-left font-normal text-[14px] text-ink ${className}`}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose();
      }}
      ref={ref}
    >
      {children}
    </dialog>
  );
}
