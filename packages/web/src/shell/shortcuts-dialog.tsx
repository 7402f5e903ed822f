import { Dialog } from "../parts/dialog.tsx";
import { Kbd } from "../parts/kbd.tsx";
import { commandKey } from "./command-key.ts";
import { shortcutList } from "./shortcuts.ts";

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="Keyboard shortcuts">
      <div className="flex flex-col gap-4">
        {shortcutList.map(({ title, keys }) => (
          <section key={title}>
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
