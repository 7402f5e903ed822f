import { assertNever } from "@caret/protocol";
import { toFlag, toVariable } from "./key-names.ts";

/** The settings of one source: valid values by key, and problems with the others. */
export interface Layer {
  readonly source: ConfigSource;
  readonly values: ReadonlyMap<string, unknown>;
  readonly problems: readonly ConfigProblem[];
  /** Remarks that do not prevent a start. */
  readonly warnings?: readonly ConfigProblem[];
}

/** Where a value came from. `file` is the user's own or the one named explicitly; `project` came with the directory. */
export type ConfigSource =
  | { readonly kind: "flag" | "variable" | "default" }
  | { readonly kind: "project" | "file"; readonly path: string };

/** One wrong setting: its location, and what was expected there. */
export interface ConfigProblem {
  readonly location: string;
  readonly message: string;
}

/** Names the flag, variable, or file and key of a value or part of it, for error messages. */
export function locationOf(source: ConfigSource, key: string, inner: readonly PropertyKey[] = []): string {
  const part = inner.map(String).join(".");
  switch (source.kind) {
    case "flag":
      return [toFlag(key), part].filter(Boolean).join(": ");
    case "variable":
      return [toVariable(key), part].filter(Boolean).join(": ");
    case "project":
    case "file":
      return `${source.path}: ${[key, part].filter(Boolean).join(".")}`;
    case "default":
      return [key, part].filter(Boolean).join(".");
    default:
      return assertNever(source);
  }
}
