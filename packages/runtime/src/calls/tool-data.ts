import type { ErrorCode } from "@caret/protocol";

/** Lines of a file. A negative `offset` counts from the end; without `limit`, all following lines. */
export interface LineRange {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** Search options for programs, beyond those for models. */
export interface SearchAsk {
  readonly before: number;
  readonly after: number;
  /** A match may span several lines. */
  readonly isMultiline: boolean;
  /** A file type, by ripgrep's name for it. */
  readonly type?: string | undefined;
}

/** The order in which files are listed. */
export interface FileOrder {
  readonly by: "path" | "modified" | "accessed" | "created";
  readonly isDescending: boolean;
}

/**
 * A call made for a program rather than a model: it returns data in addition to its words. The words go to the log, and no program reads
 * them.
 */
export interface ExactAsk {
  /** For `read`. */
  readonly range?: LineRange | undefined;
  /** For `write`: the file's encoding. An editor that has it open knows better. */
  readonly encoding?: string | undefined;
  /** For `grep`. */
  readonly search?: SearchAsk | undefined;
  /** For `grep` and `glob`. Default: by path. */
  readonly order?: FileOrder | undefined;
  /** The part and form that the program wants. Tools ignore it; it makes the next page a different call. */
  readonly page?: Readonly<Record<string, unknown>> | undefined;
}

export interface FileData {
  readonly kind: "file";
  /** The requested lines, byte for byte. */
  readonly bytes: Buffer;
  /** Of the whole file. */
  readonly fileSize: number;
  /** Number of pieces of the whole file when split at line feeds. */
  readonly totalLines: number;
  /** `bytes` is only part of the file. */
  readonly isPart: boolean;
  /** An editor's text in UTF-8, whatever the file's encoding. */
  readonly isEditorText?: true;
}

export interface EntryData {
  readonly name: string;
  readonly isDirectory: boolean;
}

export interface FoundLine {
  readonly number: number;
  readonly text: string;
  /** Characters of the line missing from the text. */
  readonly leftOut: number;
  readonly isContext: boolean;
}

export interface FoundFile {
  /** Relative to the workspace, with slashes. */
  readonly path: string;
  /** Number of its matching lines; `lines` may hold fewer. */
  readonly matchedLines: number;
  /** Number of lines that a search without limits would print. */
  readonly totalLines: number;
  readonly lines: readonly FoundLine[];
}

export interface CommandData {
  readonly kind: "command";
  /** Both outputs in order. If too long, its head and tail, with the location of the rest in between. */
  readonly output: string;
  readonly cut?: { readonly head: string; readonly tail: string; readonly leftOut: number } | undefined;
  /** Undefined if it was ended by a signal or by the gateway. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly stopped?: "timeout" | "cancelled" | undefined;
}

export interface PageData {
  readonly kind: "page";
  readonly text: string;
  readonly isCut: boolean;
  readonly status: number;
  readonly contentType: string;
}

/** A call's result data, for a program. */
export type ToolData =
  | FileData
  | CommandData
  /** As on disk, or as they will be once the editor has saved them. */
  | { readonly kind: "written"; readonly bytes: Buffer }
  /** The bytes are omitted if there are too many. */
  | { readonly kind: "removed"; readonly fileSize: number; readonly bytes?: Buffer | undefined }
  | { readonly kind: "not-a-file"; readonly actualType: string }
  | { readonly kind: "entries"; readonly entries: readonly EntryData[] }
  /** `isCut`: there may be more in places that could not be searched. */
  | { readonly kind: "files"; readonly files: readonly string[]; readonly isCut: boolean }
  /** `isCut`: there are more lines than in `found`, or files that could not be searched. */
  | { readonly kind: "matches"; readonly found: readonly FoundFile[]; readonly isCut: boolean }
  | PageData
  | { readonly kind: "failed"; readonly code: ErrorCode };
