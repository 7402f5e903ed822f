import { assertUnfiltered } from "../../git/assert-unfiltered.ts";
import type { Git } from "../../git/run-git.ts";
import { inRepository, type RunSafely } from "../../git/run-safely.ts";
import type { Baseline } from "./baselines.ts";

/** A file as the session found it, or as the last commit has it. */
export interface FormerFile {
  /** What Git knows it as: `100644`, `100755` where it is a program, `120000` for a link. */
  readonly mode: string;
  /** As a checkout would write them: with the line ends and in the encoding that the attributes say. Of a link, where it leads. */
  readonly bytes: Buffer;
}

const LINK = "120000";
const MAX_BYTES = 16 * 1024 * 1024;

/** Undefined when it was not there. Rejects where a filter decides what the file holds. */
export async function formerFile(
  git: Git,
  workspace: string,
  baseline: Baseline | undefined,
  path: string,
): Promise<FormerFile | undefined> {
  const run = await inRepository(git, workspace);
  const env = baseline === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(baseline.objects) };
  const literal = { ...env, GIT_LITERAL_PATHSPECS: "1" };
  const { text } = await run(["ls-tree", "-z", baseline?.tree ?? "HEAD", "--", path], { env: literal });
  const [, mode, object] = /^(\d{6}) \w+ (\w+)\t/.exec(text) ?? [];
  if (mode === undefined || object === undefined) return undefined;
  const prefix = (await run(["rev-parse", "--show-prefix"])).text.replace(/\n$/, "");
  const as = mode === LINK ? ["blob"] : ["--filters", `--path=${prefix}${path}`];
  const content = await run(["cat-file", ...as, object], { env, decoding: "latin1", maxBytes: MAX_BYTES });
  return { mode, bytes: Buffer.from(content.text, "latin1") };
}

/** A diff shows what Git keeps of a file, and a filter makes something else of it in the checkout. */
export async function assertPlain(git: Git, workspace: string, path: string): Promise<void> {
  const run: RunSafely = await inRepository(git, workspace);
  const paths = [Buffer.from(path).toString("latin1")];
  await assertUnfiltered(run, {
    runs: () => false,
    paths,
    fix: "Take the change back in a terminal: `git restore` runs the filter.",
  });
}
