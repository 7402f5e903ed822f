import type { ErrorCode } from "@caret/protocol";

/** Lines of a file. A negative `offset` counts from the end; without `limit`, all that follow. */
export interface LineRange {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** What a program may ask of a search beyond what a model may. */
export interface SearchAsk {
  readonly before: number;
  readonly after: number;
  /** A match may go over several lines. */
  readonly isMultiline: boolean;
  /** A kind of file by ripgrep's name for it. */
  readonly type?: string | undefined;
}

/** In which order files are told. */
export interface FileOrder {
  readonly by: "path" | "modified" | "accessed" | "created";
  readonly isDescending: boolean;
}

/**
 * A call made for a program and not for a model: it gives data besides its words. The words go to the log, and no program
 * reads them.
 */
export interface ExactAsk {
  /** Of `read`. */
  readonly range?: LineRange | undefined;
  /** Of `write`: what the file is encoded in. An editor that has it open knows better. */
  readonly encoding?: string | undefined;
  /** Of `grep`. */
  readonly search?: SearchAsk | undefined;
  /** Of `grep` and `glob`; by their paths unless another is asked for. */
  readonly order?: FileOrder | undefined;
  /** Which part of it the program wants, and in which form. No tool looks at it; it makes the next page another call. */
  readonly page?: Readonly<Record<string, unknown>> | undefined;
}

export interface FileData {
  readonly kind: "file";
  /** The lines that were asked for, byte for byte. */
  readonly bytes: Buffer;
  /** Of the whole file. */
  readonly fileSize: number;
  /** As many pieces as the line feeds make of the whole file. */
  readonly totalLines: number;
  /** Some of the file is not in `bytes`. */
  readonly isPart: boolean;
  /** They are an editor's text, in UTF-8, whatever the file is encoded in. */
  readonly isEditorText?: true;
}

export interface EntryData {
  readonly name: string;
  readonly isDirectory: boolean;
}

export interface FoundLine {
  readonly number: number;
  readonly text: string;
  /** So many characters of the line are not in the text. */
  readonly leftOut: number;
  readonly isContext: boolean;
}

export interface FoundFile {
  /** From the workspace, with slashes. */
  readonly path: string;
  /** How many of its lines match; `lines` may hold fewer. */
  readonly matchedLines: number;
  /** How many lines a search without limits would print. */
  readonly totalLines: number;
  readonly lines: readonly FoundLine[];
}

export interface CommandData {
  readonly kind: "command";
  /** Both outputs in their order. Where it was too long, its beginning and end, and between them where the rest is. */
  readonly output: string;
  readonly cut?: { readonly head: string; readonly tail: string; readonly leftOut: number } | undefined;
  /** Undefined when a signal ended it, or the gateway. */
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

/** What a call gave, for a program. */
export type ToolData =
  | FileData
  | CommandData
  /** As they stand on the disk, or will when the editor has saved them. */
  | { readonly kind: "written"; readonly bytes: Buffer }
  /** The bytes are left out where they are too many. */
  | { readonly kind: "removed"; readonly fileSize: number; readonly bytes?: Buffer | undefined }
  | { readonly kind: "not-a-file"; readonly actualType: string }
  | { readonly kind: "entries"; readonly entries: readonly EntryData[] }
  /** `isCut`: there may be more, where it could not be looked. */
  | { readonly kind: "files"; readonly files: readonly string[]; readonly isCut: boolean }
  /** `isCut`: there are more lines than `found` holds, or files that could not be searched. */
  | { readonly kind: "matches"; readonly found: readonly FoundFile[]; readonly isCut: boolean }
  | PageData
  | { readonly kind: "failed"; readonly code: ErrorCode };
