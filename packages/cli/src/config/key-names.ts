const PREFIX = "CARET_";

/**
 * The one rule for names: the words of a key, in order. `clocks.firstEventMs` is `CARET_CLOCKS_FIRST_EVENT_MS` as a
 * variable and `--clocks-first-event-ms` as a flag.
 */
export function toVariable(key: string): string {
  return PREFIX + words(key).join("_").toUpperCase();
}

export function toFlag(key: string): string {
  return `--${words(key).join("-")}`;
}

export function fromVariable(variable: string, keys: Iterable<string>): string | undefined {
  for (const key of keys) if (toVariable(key) === variable) return key;
  return undefined;
}

/** Variables of Caret's family that are not settings: where the settings are, and the simulator's and bridge's own. */
export function isSetting(variable: string): boolean {
  const reserved = variable === "CARET_CONFIG" || /^CARET_(?:SIM|BRIDGE)_/.test(variable);
  return variable.startsWith(PREFIX) && !reserved;
}

function words(key: string): readonly string[] {
  return key.replace(/[A-Z]/g, (letter) => `.${letter.toLowerCase()}`).split(".");
}
