import { BellRing, Keyboard, LogOut, Monitor, Moon, Smartphone, Sun, Upload } from "lucide-react";
import { usePageData } from "../data/page-data-context.tsx";
import type { MenuItem } from "../parts/menu.tsx";
import { showError, showToast } from "../parts/toast.tsx";
import { askToNotify, canAskToNotify } from "./notifications.ts";
import { useShellActions } from "./shell-actions.ts";
import { chooseTheme, nextTheme, type ThemeChoice, useThemeChoice } from "./theme.ts";

const themes: Readonly<Record<ThemeChoice, Pick<MenuItem, "label" | "icon">>> = {
  system: { label: "Theme: system", icon: <Monitor aria-hidden="true" size={16} /> },
  light: { label: "Theme: light", icon: <Sun aria-hidden="true" size={16} /> },
  dark: { label: "Theme: dark", icon: <Moon aria-hidden="true" size={16} /> },
};

/** Actions that belong to no screen: the menu, the phone's dialog and the palette all offer them. */
export function useMoreActions(): readonly MenuItem[] {
  const { signOut } = usePageData();
  const { show } = useShellActions();
  const theme = useThemeChoice();
  const notify: MenuItem = {
    label: "Notify me when a turn waits or ends",
    icon: <BellRing aria-hidden="true" size={16} />,
    onChoose: () => {
      askToNotify().then((answer) => showToast(answer), showError);
    },
  };
  return [
    { ...themes[theme], onChoose: () => chooseTheme(nextTheme(theme)) },
    ...(canAskToNotify() ? [notify] : []),
    {
      label: "Open on your phone",
      icon: <Smartphone aria-hidden="true" size={16} />,
      onChoose: () => show("phone"),
    },
    { label: "Import a session", icon: <Upload aria-hidden="true" size={16} />, onChoose: () => show("import") },
    { label: "Keyboard shortcuts", icon: <Keyboard aria-hidden="true" size={16} />, onChoose: () => show("shortcuts") },
    {
      label: "Sign out",
      icon: <LogOut aria-hidden="true" size={16} />,
      onChoose: () => {
        signOut().catch(showError);
      },
    },
  ];
}
