import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { CaretError } from "@caret/protocol";

export interface WorkspaceChoice {
  /** The directories that the host works in, as it says; empty when it says nothing of them. */
  readonly roots: () => Promise<readonly string[]>;
  /** Where `caret mcp` was started, or the only directory of the token; undefined: none. */
  readonly fallback: string | undefined;
}

/** Where a new session works: what the call names, else the host's only root, else the fallback. The gateway checks it. */
export async function chooseWorkspace(
  named: string | undefined,
  { roots, fallback }: WorkspaceChoice,
): Promise<string> {
  if (named !== undefined) return absolute(named);
  const directories = (await roots()).flatMap(directoryOf);
  if (directories.length > 1) throw nameOne(`The host works in ${directories.join(" and ")}`);
  const [only = fallback] = directories;
  if (only === undefined) throw nameOne("There is no directory to work in by default");
  return only;
}

function absolute(path: string): string {
  if (isAbsolute(path)) return path;
  throw new CaretError("invalid-request", `workspace: ${path} must be an absolute path`);
}

/** Roots may be other things than directories of this machine. */
function directoryOf(uri: string): readonly string[] {
  const url = URL.parse(uri);
  return url?.protocol === "file:" && (url.host === "" || url.host === "localhost") ? [fileURLToPath(url)] : [];
}

function nameOne(why: string): CaretError {
  return new CaretError("invalid-request", `${why}: name the workspace`, {
    fix: "Call again with `workspace`: the absolute path of an allowed directory.",
  });
}
