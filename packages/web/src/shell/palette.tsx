import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { useLocation } from "wouter";
import { ModalDialog } from "../parts/dialog.tsx";
import type { PaletteAction } from "./palette-action.ts";
import { usePaletteActions } from "./use-palette-actions.tsx";

/** Any session, screen or action by a few letters. Arrows choose, Enter goes. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const [, navigate] = useLocation();
  const listId = useId();
  const actions = usePaletteActions(typed);
  const choose = (action: PaletteAction | undefined): void => {
    if (action === undefined) return;
    onClose();
    if (action.href !== undefined) navigate(action.href);
    action.onChoose?.();
  };
  const press = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Enter") choose(actions[chosen]);
    else if (step !== 0) setChosen((chosen + step + actions.length) % Math.max(1, actions.length));
    else return;
    event.preventDefault();
  };
  return (
    <ModalDialog
      className="mx-auto mt-[10dvh] mb-auto max-h-[70dvh] w-[calc(100vw-2rem)] max-w-xl flex-col overflow-hidden rounded-lg border border-line bg-raised p-0 shadow-xl backdrop:bg-black/40 open:flex"
      label="Go to"
      onClose={onClose}
    >
      <input
        aria-activedescendant={actions.length > 0 ? `${listId}-${chosen}` : undefined}
        aria-autocomplete="list"
        aria-controls={listId}
        aria-expanded="true"
        aria-label="A session, a screen or an action"
        className="min-h-12 w-full shrink-0 border-line border-b bg-transparent px-4 text-[16px] outline-none placeholder:text-faint"
        onChange={(event) => {
          setTyped(event.target.value);
          setChosen(0);
        }}
        onKeyDown={press}
        placeholder="A session, a screen or an action…"
        role="combobox"
        spellCheck={false}
        value={typed}
      />
      <PaletteList actions={actions} chosen={chosen} id={listId} onChoose={choose} />
    </ModalDialog>
  );
}

interface PaletteListProps {
  readonly id: string;
  readonly actions: readonly PaletteAction[];
  readonly chosen: number;
  readonly onChoose: (action: PaletteAction) => void;
}

function PaletteList({ id, actions, chosen, onChoose }: PaletteListProps) {
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [id, chosen]);
  return (
    <div aria-label="Results" className="min-h-0 overflow-y-auto p-1" id={id} role="listbox" tabIndex={-1}>
      {actions.length === 0 && <p className="px-3 py-6 text-center text-faint">Nothing fits that</p>}
      {actions.map((action, index) => (
        <PaletteRow
          id={`${id}-${index}`}
          isChosen={index === chosen}
          key={action.id}
          onChoose={() => onChoose(action)}
          row={action}
        />
      ))}
    </div>
  );
}

interface PaletteRowProps {
  readonly id: string;
  readonly row: PaletteAction;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function PaletteRow({ id, row, isChosen, onChoose }: PaletteRowProps) {
  const { label, icon, detail } = row;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and the keys
    <div
      aria-selected={isChosen}
      className="flex min-h-10 cursor-pointer items-center gap-2.5 rounded-md px-3 hover:bg-ink/5 aria-selected:bg-ink/10 md:min-h-9"
      id={id}
      onClick={onChoose}
      role="option"
      tabIndex={-1}
    >
      <span className="flex w-4 shrink-0 justify-center text-soft">{icon}</span>
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {detail !== undefined && <span className="max-w-[40%] truncate text-[12px] text-soft">{detail}</span>}
    </div>
  );
}
