import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { IconButton } from "./button.tsx";

export interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly tone?: "plain" | "danger";
  readonly onChoose: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly icon: ReactNode;
  readonly items: readonly MenuItem[];
}

/** A button that unfolds a list of actions. Arrows move, Escape and leaving close. */
export function Menu({ label, icon, items }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const ref = useRef<HTMLDivElement>(null);
  const close = (): void => {
    setOpen(false);
    ref.current?.querySelector("button")?.focus();
  };
  return (
    <div className="relative" ref={ref}>
      <IconButton
        aria-expanded={isOpen}
        aria-haspopup="menu"
        icon={icon}
        label={label}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && <MenuList items={items} label={label} onClose={close} onLeave={() => setOpen(false)} />}
    </div>
  );
}

interface MenuListProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly onClose: () => void;
  /** The focus went elsewhere, and stays there. */
  readonly onLeave: () => void;
}

function MenuList({ label, items, onClose, onLeave }: MenuListProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [isAbove, setAbove] = useState(false);
  useLayoutEffect(() => setAbove(isCutOff(ref.current)), []);
  useEffect(() => {
    ref.current?.querySelector("button")?.focus();
  }, []);
  return (
    <div
      aria-label={label}
      className={`absolute right-0 z-20 ${isAbove ? "bottom-full mb-1" : "mt-1"} min-w-44 whitespace-nowrap rounded-md border border-line bg-raised p-1 shadow-lg`}
      onBlur={(event) => {
        // The button beside it closes it by itself.
        if (event.currentTarget.parentElement?.contains(event.relatedTarget) !== true) onLeave();
      }}
      onKeyDown={(event) => moveFocus(event, onClose)}
      ref={ref}
      role="menu"
      tabIndex={-1}
    >
      {items.map(({ label: words, icon, tone, onChoose }) => (
        <button
          className={`flex min-h-10 w-full items-center gap-2 rounded px-2 text-left text-[13px] outline-none hover:bg-ink/5 focus:bg-ink/8 md:min-h-8 ${tone === "danger" ? "text-bad" : "text-ink"}`}
          key={words}
          onClick={() => {
            onClose();
            onChoose();
          }}
          role="menuitem"
          type="button"
        >
          {icon}
          {words}
        </button>
      ))}
    </div>
  );
}

/** Whether the list reaches below the screen that it is on, and would have room above its button. */
function isCutOff(list: HTMLElement | null): boolean {
  const { top = 0, bottom = 0, height = 0 } = list?.getBoundingClientRect() ?? {};
  const screen = list?.closest("main")?.getBoundingClientRect();
  const button = list?.parentElement?.getBoundingClientRect();
  return bottom > (screen?.bottom ?? innerHeight) && (button?.top ?? top) - height > (screen?.top ?? 0);
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function moveFocus(event: KeyboardEvent<HTMLElement>, onClose: () => void): void {
  const step = steps[event.key];
  if (event.key === "Escape") {
    event.stopPropagation();
    onClose();
  }
  if (step === undefined) return;
  event.preventDefault();
  const buttons = [...event.currentTarget.querySelectorAll("button")];
  const index = buttons.indexOf(document.activeElement as HTMLButtonElement);
  buttons.at((index + step) % buttons.length)?.focus();
}
