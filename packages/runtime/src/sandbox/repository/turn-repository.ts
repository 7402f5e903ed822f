import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { type Git, runGit } from "../../git/run-git.ts";
import { writePrivateFile } from "../../paths/private-files.ts";
import { isHolderAlive, thisProcess } from "../holder.ts";
import { isTrueName } from "../true-name.ts";
import { askRepository, type Repository } from "./ask-repository.ts";
import { bringOver } from "./bring-over.ts";
import { cleanPrivateRepository, makePlain } from "./clean-private-repository.ts";
import { fingerprint } from "./fingerprint.ts";
import { makePrivateRepository } from "./make-private-repository.ts";
import { copyOperation, operationIn, operationMark, removeOperation } from "./operation-under-way.ts";
import { readConfig } from "./read-config.ts";
import { GitFailed, gitIn, type RepositoryState, readState } from "./repository-state.ts";
import { savedOperation } from "./saved-operation.ts";

/** What is written down before a turn begins, so that its work is not lost with the gateway. */
interface Receipt {
  readonly workspace: string;
  readonly holder: string;
  /** Undefined: the workspace was no repository. */
  readonly repository: Repository | undefined;
  readonly before: RepositoryState;
  /** The user's own operation that was under way, and that the turn may end. */
  readonly operation: string | undefined;
  /** What git runs of the workspace, from there. Absent in one of an earlier version. */
  readonly sealed?: readonly string[];
  /** An operation of an earlier turn could not go on in this one. */
  readonly isDropped?: boolean;
}

/** A directory of git that is a turn's own. */
export interface TurnRepository {
  readonly directory: string;
  /** Undefined: the workspace is no repository; the agent may make one. */
  readonly repository: Repository | undefined;
  /** Brings over what the turn has made, when nothing of it runs any more; returns what a person has to know. Never rejects. */
  close(): Promise<readonly string[]>;
}

const NOTHING: RepositoryState = { head: "", refs: {}, stashes: [] };

export interface TurnPlace {
  readonly workspace: string;
  /** Caret's, of the session. */
  readonly root: string;
  /** A name that is used once. */
  readonly id: string;
  /** What git runs of the workspace, from there. */
  readonly sealed?: readonly string[];
}

export async function openTurnRepository(
  git: Git,
  { workspace, root, id, sealed = [] }: TurnPlace,
  asked: Repository | undefined,
): Promise<TurnRepository> {
  const directory = join(root, id);
  const saved = savedOperation(root, workspace);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const objects = saved.objects();
  const repository =
    asked === undefined
      ? undefined
      : { ...asked, objects: [...asked.objects, ...(objects === undefined ? [] : [objects])] };
  const before = repository === undefined ? NOTHING : await readState(gitIn(git, repository.directory, workspace));
  const under = repository && operationMark(repository.directory);
  const receipt: Receipt = { workspace, holder: thisProcess(), repository, before, operation: under, sealed };
  const note = (isDropped: boolean): Receipt => {
    const noted = { ...receipt, isDropped };
    writePrivateFile(`${directory}.json`, JSON.stringify(noted));
    return noted;
  };
  note(false);
  if (repository !== undefined) makePrivateRepository(directory, repository, before);
  const isFree = repository !== undefined && operationIn(repository.directory) === undefined;
  const open = note(saved.isThere() && !(isFree && saved.restore(directory, before)));
  const given = await fingerprint(directory);
  const hasWork = async (): Promise<boolean> =>
    given === undefined || given !== (await fingerprint(directory)) || saved.isThere();
  return { directory, repository, close: async () => finish(git, root, id, (await hasWork()) ? open : undefined) };
}

/** Brings over what turns of processes that have died had made. Returns what a person has to know. */
export async function sweepTurnRepositories(git: Git, root: string): Promise<readonly string[]> {
  const words: string[] = [];
  for (const name of existsSync(root) ? readdirSync(root) : []) {
    if (!name.endsWith(".json")) continue;
    const receipt = JSON.parse(readFileSync(join(root, name), "utf8")) as Receipt;
    if (!isHolderAlive(receipt.holder))
      words.push(...(await finish(git, root, name.slice(0, -".json".length), receipt)));
  }
  return words;
}

/** Without a receipt there is nothing to be brought over. */
async function finish(git: Git, root: string, id: string, receipt: Receipt | undefined): Promise<readonly string[]> {
  const directory = join(root, id);
  try {
    const words = receipt === undefined ? [] : await take(git, root, id, receipt);
    for (const end of ["", ".json", ".index", ".shallow", ".given", ".operation", ".file", ".none"])
      await removeTree(`${directory}${end}`);
    return words;
  } catch (reason) {
    const why = reason instanceof GitFailed ? reason.message : CaretError.from(reason).message;
    return [`What the turn did with git could not be taken over (${why}). It is kept in ${directory}.`];
  }
}

async function take(git: Git, root: string, id: string, receipt: Receipt): Promise<readonly string[]> {
  const { workspace, before } = receipt;
  const directory = join(root, id);
  if (!isTrueName(workspace)) throw new CaretError("workspace-missing", `${workspace} is not there any more`);
  if (!existsSync(join(directory, "HEAD")))
    return receipt.repository === undefined
      ? []
      : ["The turn has removed its repository: nothing of it was taken over."];
  const repository = receipt.repository ?? (await newRepository(git, workspace, directory));
  const operation = `${directory}.operation`;
  if (operationIn(directory) !== undefined) copyOperation(directory, operation);
  // An earlier try may have come as far as removing it from there.
  const under = operationIn(operation);
  await cleanPrivateRepository(directory, repository);
  const outside = operationMark(repository.directory);
  const found =
    receipt.repository === undefined ? await readState(gitIn(git, repository.directory, workspace)) : before;
  const words = await bringOver({ git, repository, before: found, directory, id, sealed: receipt.sealed ?? [] });
  return [...words, ...(await settleOperation())];

  async function settleOperation(): Promise<readonly string[]> {
    const saved = savedOperation(root, workspace);
    // The user's own goes on outside as it was before the turn.
    if (under !== undefined && outside !== undefined) return [];
    if (under === undefined) {
      saved.remove();
      const isEnded = outside !== undefined && outside === receipt.operation && words.length === 0;
      if (isEnded) removeOperation(repository.directory);
      if (receipt.isDropped !== true) return [];
      return [
        "What an earlier turn had not finished could not go on: HEAD has moved, or git is in the middle of something else. It is dropped.",
      ];
    }
    saved.save(directory, operation, await readState(gitIn(git, repository.directory, workspace)));
    return [
      `A ${under} is not finished. Nothing of it is left in the repository: the next sandboxed turn of this session goes on with it.`,
    ];
  }
}

/** The agent has made a repository where there was none: Caret makes one of its own there, to bring the agent's work into. */
async function newRepository(git: Git, workspace: string, directory: string): Promise<Repository> {
  const file = join(directory, "config");
  const asked = isPlain(file)
    ? await runGit(git, workspace, ["config", "--file", file, "extensions.objectformat"])
    : undefined;
  const format = asked?.text.trim() === "sha256" ? "sha256" : "sha1";
  const head = isPlain(join(directory, "HEAD")) ? readFileSync(join(directory, "HEAD"), "utf8") : "";
  const branch = /^ref: refs\/heads\/(\S+)\s*$/.exec(head)?.[1] ?? "main";
  const words = ["init", "--quiet", "--template=", `--object-format=${format}`, `--initial-branch=${branch}`];
  const made = await runGit(git, workspace, [...words, "--", workspace]);
  const answer = await askRepository(git, workspace, (await readConfig(git, workspace)) ?? []);
  if (answer.kind === "repository") return answer.repository;
  throw new CaretError("workspace-forbidden", `No repository can be made in ${workspace}: ${made.errors.trim()}`);
}

/** The agent may have closed directories in it to us. */
async function removeTree(path: string): Promise<void> {
  if (existsSync(path)) await makePlain(path);
  await rm(path, { recursive: true, force: true });
}

function isPlain(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
}
