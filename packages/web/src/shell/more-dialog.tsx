import { Dialog } from "../parts/dialog.tsx";
import { NavLink, useOtherRoutes } from "../screen/nav-link.tsx";
import { SimulatedNote } from "../screen/simulated-note.tsx";
import { useMoreActions } from "./use-more-actions.tsx";

/** Everything that has no room in a phone's bar. */
export function MoreDialog({ onClose }: { readonly onClose: () => void }) {
  const actions = useMoreActions();
  const otherRoutes = useOtherRoutes();
  return (
    <Dialog onClose={onClose} title="More">
      <SimulatedNote />
      <ul>
        {otherRoutes.map(({ href, label, icon }) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: a link inside is what is pressed, by whatever means
          <li key={href} onClick={onClose}>
            <NavLink href={href} icon={icon}>
              {label}
            </NavLink>
          </li>
        ))}
        {actions.map(({ label, icon, onChoose }) => (
          <li key={label}>
            <button
              className="flex min-h-10 w-full items-center gap-2 rounded-md px-2 text-left text-[13px] text-soft hover:bg-ink/5 hover:text-ink"
              onClick={() => {
                onClose();
                onChoose();
              }}
              type="button"
            >
              {icon}
              {label}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
