/** A value of JSON, which is what settings have in every format. */
export type SettingValue =
  | string
  | number
  | boolean
  | null
  | readonly SettingValue[]
  | { readonly [name: string]: SettingValue };

/** The name of a member; or an item of a list, known by the members that it has, or by itself if it is a string. */
export type SettingStep = string | { readonly item: string | Readonly<Record<string, string>> };
export type SettingPath = readonly SettingStep[];

/** One of Caret's own settings in a file of the user's. */
export interface Setting {
  readonly path: SettingPath;
  /** Absent: only given back at the end, in case the user has made Caret their default in the meantime. */
  readonly value?: SettingValue;
  /** For a setting that is the user's too, such as the default model: values that begin with this are Caret's. */
  readonly prefix?: string;
  /** The user's own value stays where there is one. */
  readonly isOnlyAdded?: true;
}

export type SettingsFormat = "jsonc" | "yaml" | "toml" | "variables";

/** Where a file is: below the home directory, unless the client's own variable says otherwise. */
export interface ClientFile {
  /** `~/` is the home directory, `{data}/` Caret's data directory. */
  readonly target: string;
  /** Other names of the same file; the first that exists is the user's. */
  readonly others?: readonly string[];
  /** A variable whose value replaces the beginning of the target. */
  readonly moved?: { readonly variable: string; readonly from: string };
  /** Where it is on other systems. */
  readonly systems?: Readonly<Record<string, string>>;
  readonly format: SettingsFormat;
}

/** A file of Caret's own. */
export interface OwnFile extends ClientFile {
  readonly text: string;
}

/** A file that is the user's: only these settings in it are ours. */
export interface SharedFile extends ClientFile {
  readonly settings: readonly Setting[];
  /** Whether the token itself is written to it: then it becomes readable to its owner only. */
  readonly hasToken?: true;
}

/** Where the client finds what it needs, for the turn that tests an installation: read from the file that was written. */
export interface ClientAccess {
  /** The address, as the client has it: with `/v1` or without. */
  readonly url: SettingPath;
  /**
   * How the value becomes a token: it is one, names a file as `{file:…}`, is a shell
   * command, is a program and its arguments, or names the variable that `start` sets.
   */
  readonly token: {
    readonly form: "value" | "file" | "shell" | "words" | "variable";
    readonly paths: readonly SettingPath[];
  };
  /** Absent: `auto`. */
  readonly model?: SettingPath;
}

/** For a client that starts Caret itself: what it starts, read from the file that was written. */
export interface StartedProgram {
  readonly protocol: "acp" | "mcp";
  /** The program and its arguments, in one list or in several places. */
  readonly words: readonly SettingPath[];
}

export interface Installation {
  readonly files: readonly (OwnFile | SharedFile)[];
  /** With `--default`: what makes Caret the client's default. */
  readonly defaults?: readonly SharedFile[];
  /** What a person types then. */
  readonly start: string;
  /** Read from the first file. Absent: the client starts Caret itself, or asks its user for the token. */
  readonly access?: ClientAccess;
  readonly program?: StartedProgram;
  /** A directory of Caret's that the client loads, which not every form of Caret has. */
  readonly needs?: string;
  /** What a person has to know or do. */
  readonly note?: string;
}

export function isOwnFile(file: OwnFile | SharedFile): file is OwnFile {
  return "text" in file;
}
