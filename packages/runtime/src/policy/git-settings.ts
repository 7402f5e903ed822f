import { dirname, resolve } from "node:path";
import { CaretError } from "@caret/protocol";
import { type Git, type GitOptions, runGit } from "../git/run-git.ts";
import { fileStamp } from "../paths/private-files.ts";
import type { Spawner } from "../process/child-handle.ts";

/** The parts of a repository's settings that live in files. */
export interface GitSettings {
  readonly hooks: string;
  /** Files its configuration is read from or includes, existing or not. */
  readonly files: readonly string[];
}

/** `unknown`: git did not answer in time, or not intelligibly. */
export type GitAnswer = GitSettings | "unknown" | "no repository";

/** Looks up git's answer about a repository, synchronously. */
export type GitAnswers = (repository: string) => GitAnswer;

interface Asked {
  readonly stamps: string;
  readonly answer: GitSettings | "no repository";
}

const LIMIT_MS = 5_000;
const MAX_ASKED = 100;
/** A call that changes files of more repositories than this needs approval. */
const MAX_REPOSITORIES = 16;
const asked = new WeakMap<Spawner, Map<string, Asked>>();
const asking = new WeakMap<Spawner, Map<string, Promise<GitAnswer>>>();

/**
 * Makes a judgement with git's answers about the repositories it involves. A first pass collects them, then git is asked about all
 * asynchronously; a repository that only turns up in the second pass is `unknown`.
 */
export async function judgeWithGit<Verdict>(git: Git, judge: (answers: GitAnswers) => Verdict): Promise<Verdict> {
  const repositories = new Set<string>();
  const verdict = judge((repository) => {
    repositories.add(repository);
    return "no repository";
  });
  return repositories.size === 0 ? verdict : judge(await askGit(git, repositories));
}

/**
 * Asks git where repositories' hooks are and which files their configuration comes from, including includes, other names and the user's own
 * settings. Asks again after one of those files has changed, or after a failed answer.
 */
async function askGit(git: Git, repositories: ReadonlySet<string>): Promise<GitAnswers> {
  const first = [...repositories].slice(0, MAX_REPOSITORIES);
  const answers = new Map(
    await Promise.all(first.map(async (each) => [each, knownAnswer(git, each) ?? (await askOnce(git, each))] as const)),
  );
  return (repository) => answers.get(repository) ?? "unknown";
}

function knownAnswer({ spawner }: Git, repository: string): GitAnswer | undefined {
  const known = asked.get(spawner)?.get(repository);
  return known !== undefined && known.stamps === stampsOf(repository, known.answer) ? known.answer : undefined;
}

/** Calls judged at the same time share one answer. */
async function askOnce(git: Git, repository: string): Promise<GitAnswer> {
  const running = mapOf(asking, git.spawner);
  const answer = running.get(repository) ?? ask(git, repository);
  running.set(repository, answer);
  try {
    return await answer;
  } finally {
    if (running.get(repository) === answer) running.delete(repository);
  }
}

function mapOf<Value>(maps: WeakMap<Spawner, Map<string, Value>>, spawner: Spawner): Map<string, Value> {
  const map = maps.get(spawner) ?? new Map<string, Value>();
  maps.set(spawner, map);
  return map;
}

async function ask(git: Git, repository: string): Promise<GitAnswer> {
  try {
    const before = await answerOf(git, repository);
    const stamps = stampsOf(repository, before);
    const answer = await answerOf(git, repository);
    // Only an answer that is the same before and after reading the stamps is about these very files.
    if (JSON.stringify(before) === JSON.stringify(answer)) keep(git, repository, { stamps, answer });
    return answer;
  } catch (reason) {
    // Without git nothing runs hooks.
    if (CaretError.is(reason) && reason.code === "unsupported") return "no repository";
    return "unknown"; // too slow, or could not be started: the call needs approval
  }
}

function keep({ spawner }: Git, repository: string, known: Asked): void {
  const kept = mapOf(asked, spawner);
  if (kept.size >= MAX_ASKED) kept.clear();
  kept.set(repository, known);
}

function stampsOf(repository: string, answer: Asked["answer"]): string {
  const files = answer === "no repository" ? [] : answer.files;
  return [resolve(repository, ".git"), resolve(repository, ".git", "config"), ...files].map(fileStamp).join("\n");
}

async function answerOf(git: Git, repository: string): Promise<GitSettings | "no repository"> {
  // The query is about the hooks' location; the commands run here run no hooks.
  const ownHooks: GitOptions = { settings: { "core.hooksPath": undefined } };
  const [hooks, listed] = await Promise.all([
    read(git, repository, ["rev-parse", "--path-format=absolute", "--git-path", "hooks"], ownHooks),
    read(git, repository, ["config", "--list", "--includes", "--show-origin", "--null"]),
  ]);
  if (hooks === undefined || listed === undefined) return "no repository";
  return { hooks: hooks.replace(/\n$/, ""), files: filesIn(repository, listed.split("\0")) };
}

/** Takes pairs: a setting's origin (`file:PATH`), and its name and value. */
function filesIn(repository: string, parts: readonly string[]): readonly string[] {
  const files = new Set<string>();
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [origin = "", setting = ""] = [parts[index], parts[index + 1]];
    if (!origin.startsWith("file:")) continue;
    const file = resolve(repository, origin.slice("file:".length));
    files.add(file);
    const included = /^(?:include|includeif\..*)\.path\n(.+)$/s.exec(setting)?.[1];
    if (included !== undefined && !included.startsWith("~")) files.add(resolve(dirname(file), included));
  }
  return [...files];
}

/** Undefined if there is no repository. Rejects if the answer is not understood. */
async function read(git: Git, cwd: string, args: readonly string[], options: GitOptions = {}) {
  const { code, text, isCut, errors } = await runGit(git, cwd, args, { ...options, limitMs: LIMIT_MS });
  if (code === 0 && !isCut) return text;
  if (code !== null && /not a git repository|dubious ownership/.test(errors)) return undefined;
  throw new CaretError("upstream-error", `git ${args[0]} gave no answer`);
}
