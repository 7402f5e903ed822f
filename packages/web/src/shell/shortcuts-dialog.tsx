import { Dialog } from "../parts/dialog.tsx";
import { Kbd } from "../parts/kbd.tsx";
import { commandKey, shortcutList } from "./shortcuts.ts";

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog isText isWide onClose={onClose} title="Keyboard shortcuts">
      <div className="gap-8 sm:columns-2">
        {shortcutList.map(({ title, keys }) => (
          <section className="mb-4 break-inside-avoid" key={title}>
            <h3 className="mb-1 font-medium text-[12px] text-faint">{title}</h3>
            <dl>
              {keys.map(({ keys: names, does }) => (
                <div className="flex items-center justify-between gap-4 py-1" key={does}>
                  <dt>{does}</dt>
                  <dd className="flex shrink-0 gap-1">
                    {names.map((name) => (
                      <Kbd key={name} keys={name === "Ctrl" ? commandKey() : name} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
