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

/** Where the settings are, a gateway's address and token as clients keep them, the mark of processes that Caret started. */
const reserved: ReadonlySet<string> = new Set(["CARET_CONFIG", "CARET_URL", "CARET_TOKEN", "CARET_PROCESS_ID"]);

/** Variables of Caret's family that are not settings: these, and the simulator's, the bridge's and the tests' own. */
export function isSetting(variable: string): boolean {
  if (reserved.has(variable) || /^CARET_(?:SIM|BRIDGE|FULL|CRASH)_/.test(variable)) return false;
  return variable.startsWith(PREFIX);
}

function words(key: string): readonly string[] {
  return key.replace(/[A-Z]/g, (letter) => `.${letter.toLowerCase()}`).split(".");
}
