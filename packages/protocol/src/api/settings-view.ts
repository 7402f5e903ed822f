/** How a setting is written: what a form offers for it. */
export type SettingKind = "text" | "number" | "flag" | "choice" | "list" | "json";

/** Which of its sources a value comes from; a later one counts before an earlier one. */
export type SettingSource = "default" | "file" | "project" | "variable" | "flag";

/** One setting of the gateway: what it means, what it is, and where that comes from. */
export interface SettingView {
  /** `budgets.day.usd` */
  readonly key: string;
  readonly meaning: string;
  readonly kind: SettingKind;
  /** The words of a `choice`. */
  readonly choices?: readonly string[];
  /** As the next start of the gateway reads it, without secrets; absent: not set. */
  readonly value?: unknown;
  /** Absent: without a value it is not set. */
  readonly default?: unknown;
  readonly from: SettingSource;
  /** The flag, the variable or the file that has it; `default` where none has. */
  readonly source: string;
  /** It can be written, and is never shown. */
  readonly secret?: true;
  /** It has secrets in it, so that only the file itself can be edited. */
  readonly inFileOnly?: true;
  /** A change counts at once; absent: from the next start on. */
  readonly live?: true;
  /** The gateway runs with another value: this one counts from its next start on. */
  readonly pending?: true;
}

export interface SettingsView {
  /** The user's own `caret.json`, or the file that was named; it may not exist yet. */
  readonly file: string;
  readonly settings: readonly SettingView[];
}

/** What is written into the file, by key; `null` takes a setting out of it. */
export interface ChangeSettings {
  readonly changes: Readonly<Record<string, unknown>>;
}
