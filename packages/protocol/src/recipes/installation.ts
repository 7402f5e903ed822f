/** A JSON value: the values settings have in every format. */
export type SettingValue =
  | string
  | number
  | boolean
  | null
  | readonly SettingValue[]
  | { readonly [name: string]: SettingValue };

/** A member's name; or a list item, identified by some of its members or, if a string, by itself. */
export type SettingStep = string | { readonly item: string | Readonly<Record<string, string>> };
export type SettingPath = readonly SettingStep[];

/** One of Caret's settings in a user's file. */
export interface Setting {
  readonly path: SettingPath;
  /** Omitted: nothing is written; the setting is only restored on uninstall, in case the user made Caret their default in the meantime. */
  readonly value?: SettingValue;
  /** For a setting shared with the user, such as the default model: values with this prefix are Caret's. */
  readonly prefix?: string;
  /** Written only if the user has no value of their own. */
  readonly isOnlyAdded?: true;
}

export type SettingsFormat = "jsonc" | "yaml" | "toml" | "variables";

/** Location of a file: below the home directory, unless the client's own variable moves it. */
export interface ClientFile {
  /** `~/` is the home directory, `{data}/` Caret's data directory. */
  readonly target: string;
  /** Other names of the same file; the first that exists is the user's. */
  readonly others?: readonly string[];
  /** A variable whose value replaces the start of the target. */
  readonly moved?: { readonly variable: string; readonly from: string };
  /** Its location on other systems. */
  readonly systems?: Readonly<Record<string, string>>;
  readonly format: SettingsFormat;
}

/** A file that belongs to Caret. */
export interface OwnFile extends ClientFile {
  readonly text: string;
}

/** A file that belongs to the user: only these settings in it are ours. */
export interface SharedFile extends ClientFile {
  readonly settings: readonly Setting[];
  /** The file holds the token itself, so it is made readable to its owner only. */
  readonly hasToken?: true;
}

/** Where to find the address and token in the written file, for the turn that tests an installation. */
export interface ClientAccess {
  /** The address as the client writes it, with or without `/v1`. */
  readonly url: SettingPath;
  /**
   * How the value yields a token: it is one, names a file as `{file:…}`, is a shell command, is a program with arguments, or names the
   * variable that `start` sets.
   */
  readonly token: {
    readonly form: "value" | "file" | "shell" | "words" | "variable";
    readonly paths: readonly SettingPath[];
  };
  /** Default: `auto`. */
  readonly model?: SettingPath;
}

/** For clients that start Caret themselves: the program they start, read from the written file. */
export interface StartedProgram {
  readonly protocol: "acp" | "mcp";
  /** The program and its arguments, in one list or spread over several places. */
  readonly words: readonly SettingPath[];
}

export interface Installation {
  readonly files: readonly (OwnFile | SharedFile)[];
  /** Settings for `--default`: they make Caret the client's default. */
  readonly defaults?: readonly SharedFile[];
  /** The command that starts the client afterwards. */
  readonly start: string;
  /** Read from the first file. Omitted if the client starts Caret itself or asks its user for the token. */
  readonly access?: ClientAccess;
  readonly program?: StartedProgram;
  /** A Caret directory that the client loads; not every distribution of Caret includes it. */
  readonly needs?: string;
  /** What a person must know or do. */
  readonly note?: string;
}

export function isOwnFile(file: OwnFile | SharedFile): file is OwnFile {
  return "text" in file;
}
