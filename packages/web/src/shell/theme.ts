import { useSyncExternalStore } from "react";

export const themeChoices = ["system", "light", "dark"] as const;
export type ThemeChoice = (typeof themeChoices)[number];

const STORED = "caret.theme";
const listeners = new Set<() => void>();
let choice: ThemeChoice = "system";

/** Before anything is drawn: take the stored choice, and follow the system where there is none. */
export function startTheme(): void {
  const stored = localStorage.getItem(STORED);
  choice = themeChoices.find((known) => known === stored) ?? "system";
  apply();
  darkSystem().addEventListener("change", apply);
}

export function chooseTheme(chosen: ThemeChoice): void {
  choice = chosen;
  localStorage.setItem(STORED, chosen);
  apply();
  for (const listener of listeners) listener();
}

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, () => choice);
}

export function nextTheme(theme: ThemeChoice): ThemeChoice {
  return themeChoices[(themeChoices.indexOf(theme) + 1) % themeChoices.length] ?? "system";
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function darkSystem(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}

function apply(): void {
  const isDark = choice === "dark" || (choice === "system" && darkSystem().matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
}
