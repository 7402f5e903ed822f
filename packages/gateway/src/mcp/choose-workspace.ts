import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { CaretError } from "@caret/protocol";

export interface WorkspaceChoice {
  /** The directories in which the host says it works; may be empty. */
  readonly roots: () => Promise<readonly string[]>;
  /** Where `caret mcp` was started, or the token's only directory; undefined if neither. */
  readonly fallback: string | undefined;
}

/** Workspace of a new session: the one named in the call, else the host's only root, else the fallback. The gateway checks it. */
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

/** Roots need not be directories of this machine. */
function directoryOf(uri: string): readonly string[] {
  const url = URL.parse(uri);
  return url?.protocol === "file:" && (url.host === "" || url.host === "localhost") ? [fileURLToPath(url)] : [];
}

function nameOne(why: string): CaretError {
  return new CaretError("invalid-request", `${why}: name the workspace`, {
    fix: "Call again with `workspace`: the absolute path of an allowed directory.",
  });
}
