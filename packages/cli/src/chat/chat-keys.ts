import { type KeyId, matchesKey } from "@earendil-works/pi-tui";

/** Keys that act on the whole screen; all others go to the prompt. */
export type ScreenKey = "stop" | "interrupt" | "close" | "queue" | "details" | "redraw" | "suspend";

export interface KeyMoment {
  readonly isRunning: boolean;
  readonly isPromptEmpty: boolean;
  /** A list of completions is open: it takes Esc first. */
  readonly isCompleting: boolean;
}

const always: readonly (readonly [KeyId, ScreenKey])[] = [
  ["ctrl+c", "interrupt"],
  ["ctrl+o", "details"],
  ["ctrl+l", "redraw"],
  ["ctrl+z", "suspend"],
];

export function screenKey(data: string, moment: KeyMoment): ScreenKey | undefined {
  const { isRunning, isPromptEmpty, isCompleting } = moment;
  if (isRunning && !isCompleting && matchesKey(data, "escape")) return "stop";
  if (isRunning && !isPromptEmpty && matchesKey(data, "alt+enter")) return "queue";
  if (isPromptEmpty && matchesKey(data, "ctrl+d")) return "close";
  return always.find(([key]) => matchesKey(data, key))?.[1];
}
