/** Type of a setting's value; decides which form field is offered. */
export type SettingKind = "text" | "number" | "flag" | "choice" | "list" | "json";

/** Source of a value. Later ones in this list override earlier ones. */
export type SettingSource = "default" | "file" | "project" | "variable" | "flag";

/** One setting of the gateway: its meaning, value and source. */
export interface SettingView {
  /** `budgets.day.usd` */
  readonly key: string;
  readonly meaning: string;
  readonly kind: SettingKind;
  /** Allowed values of a `choice`. */
  readonly choices?: readonly string[];
  /** The value that the gateway's next start will read, without secrets; absent if not set. */
  readonly value?: unknown;
  /** Absent if the setting has no default. */
  readonly default?: unknown;
  readonly from: SettingSource;
  /** The flag, variable or file that sets it; `default` if none does. */
  readonly source: string;
  /** Can be written but is never shown. */
  readonly secret?: true;
  /** Contains secrets, so only the file itself can be edited. */
  readonly inFileOnly?: true;
  /** Changes take effect at once. If absent, at the next start. */
  readonly live?: true;
  /** The running gateway has another value; this one takes effect at its next start. */
  readonly pending?: true;
}

export interface SettingsView {
  /** The user's `caret.json`, or the file that was named; it need not exist yet. */
  readonly file: string;
  readonly settings: readonly SettingView[];
}

/** Values to write into the file, by key; `null` removes a setting. */
export interface ChangeSettings {
  readonly changes: Readonly<Record<string, unknown>>;
}
