import { CaretError } from "@caret/protocol";
import type { ToolContext } from "../tool.ts";
import type { ConfinedPath } from "./confined-path.ts";
import { hasCode } from "./file-error.ts";
import { type FileTime, type FileTimes, timesOf } from "./file-order.ts";
import type { GlobMatcher } from "./glob-pattern.ts";
import type { PinnedDirectory } from "./pinned-directory.ts";
import { isBinary } from "./text-encodings.ts";
import { type FoundFile, walkFiles } from "./walk-files.ts";

/** Larger files are skipped; a program's result says that something was left out, and has a higher limit. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_EXACT_BYTES = 64 * 1024 * 1024;

export interface FileText {
  /** Path from the workspace, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** The text files of one search, and what it had to skip. */
export interface SearchedFiles {
  at(target: ConfinedPath): AsyncGenerator<FileText, void, undefined>;
  timeOf(path: string, which: FileTime): number;
  /** Number of files that a rule forbids to open. */
  leftOut(): number;
  /** Whether files were skipped for another reason: too large, too deep, or inaccessible. */
  hasMissed(): boolean;
}

export interface SearchedFilesOptions {
  readonly matches: GlobMatcher | undefined;
  readonly isExact: boolean;
}

export function searchFiles(
  { leavesOut, signal }: Pick<ToolContext, "leavesOut" | "signal">,
  { matches, isExact }: SearchedFilesOptions,
): SearchedFiles {
  const maxBytes = isExact ? MAX_EXACT_BYTES : MAX_BYTES;
  const times = new Map<string, FileTimes>();
  let leftOut = 0;
  let hasMissed = false;
  const onMissed = (): void => {
    hasMissed = true;
  };

  const isSearched = (path: string): boolean => {
    const isLeftOut = leavesOut?.(path) ?? false;
    if (isLeftOut) leftOut += 1;
    return !isLeftOut;
  };

  /** Undefined for anything that cannot be searched: binary, huge, vanished or inaccessible. */
  const textOf = async (path: string, { directory, name }: Pick<FoundFile, "directory" | "name">) => {
    const file = await directory.openFile(name).catch((reason: unknown) => {
      if (hasCode(reason, "EACCES", "EPERM")) onMissed();
      if (CaretError.is(reason) || hasCode(reason, "ENOENT", "ELOOP", "EACCES", "EPERM", "ENXIO")) return undefined;
      throw reason;
    });
    if (file === undefined) return undefined;
    try {
      const stat = await file.stat();
      if (stat.size > maxBytes) {
        onMissed();
        return undefined;
      }
      if (isExact) times.set(path, timesOf(stat));
      return decode(await file.readFile());
    } finally {
      await file.close();
    }
  };

  async function* below(directory: PinnedDirectory, prefix: string): AsyncGenerator<FileText, void, undefined> {
    for await (const file of walkFiles(directory, { signal, onMissed })) {
      const path = `${prefix}${file.path}`;
      const isWanted = (matches === undefined || matches(file.path)) && isSearched(path);
      const text = isWanted ? await textOf(path, file) : undefined;
      if (text !== undefined) yield { path, text };
    }
  }

  return {
    async *at(target) {
      const directory = await target.directory.enter(target.name).catch((reason: unknown) => {
        if (hasCode(reason, "ENOTDIR")) return undefined;
        throw reason;
      });
      if (directory === undefined) {
        const text = await textOf(target.path, target);
        if (text !== undefined) yield { path: target.path, text };
        return;
      }
      try {
        yield* below(directory, target.path === "" ? "" : `${target.path}/`);
      } finally {
        await directory.close();
      }
    },
    timeOf: (path, which) => times.get(path)?.[which] ?? 0,
    leftOut: () => leftOut,
    hasMissed: () => hasMissed,
  };
}

/** A byte order mark selects the encoding and is not searched. */
function decode(bytes: Buffer): string | undefined {
  const mark = bytes.toString("hex", 0, 2);
  if (mark === "fffe") return new TextDecoder("utf-16le").decode(bytes);
  if (mark === "feff") return new TextDecoder("utf-16be").decode(bytes);
  return isBinary(bytes) ? undefined : new TextDecoder().decode(bytes);
}
