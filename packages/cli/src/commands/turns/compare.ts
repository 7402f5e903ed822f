import {
  CaretError,
  type ComparisonView,
  type DropComparison,
  type KeptCandidate,
  type LaneName,
  type NativeClient,
  type PermissionWord,
  permissionWords,
  type SandboxWord,
  type StartComparison,
  sandboxWords,
} from "@caret/protocol";
import { type Command, InvalidArgumentError, Option } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { absolutePath } from "../../config/config-paths.ts";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { connectGateway } from "../../serve/connect-gateway.ts";
import { progressLines, resultLines } from "../../terminal/candidate-lines.ts";
import { createLiveLines } from "../../terminal/live-lines.ts";
import { hostLook } from "../../terminal/look.ts";
import { printJson, write } from "../../terminal/print.ts";
import { readPrompt } from "../../terminal/read-prompt.ts";
import { createStopper } from "../../terminal/stopper.ts";
import { cleanLine, cleanText } from "../../terminal/text-cleaner.ts";
import { type PickedCandidate, pickInTerminal } from "./pick-candidate.ts";

interface CompareOptions extends Readonly<Record<string, unknown>> {
  readonly models: readonly string[];
  readonly check?: string;
  readonly workspace?: string;
  readonly lane?: "auto" | LaneName;
  readonly permission?: PermissionWord;
  readonly sandbox?: SandboxWord;
  readonly machine?: string;
  readonly pick?: string;
  readonly force?: boolean;
  readonly message?: string;
  readonly file?: string;
  readonly json?: boolean;
}

export function addCompareCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("compare")
    .description("one prompt for several models, each in a worktree; pick one and merge it")
    .argument("[prompt...]", "what to ask; `-`, or nothing, reads standard input; a pipe beside words is added below")
    .addOption(
      new Option("--models <names>", "the models, with commas between").argParser(toNames).makeOptionMandatory(),
    )
    .option("--check <command>", "a shell command to run in each worktree afterwards: `npm test`")
    .option("-w, --workspace <dir>", "a directory of the repository (default: the current one)")
    .addOption(new Option("--permission <word>", "how much happens without asking").choices(permissionWords))
    .addOption(new Option("--sandbox <word>", "confine the candidates").choices(sandboxWords))
    .option("--machine <name>", "of a fleet, the one to work on (default: one that has the directory)")
    .option("--pick <candidate>", "merge this one without asking: its number, or its model")
    .option("--force", "delete with the worktrees what no merge brings back and no diff shows")
    .option("--message <text>", "of the commit that the picked work is put in")
    .option("--file <path>", "read the prompt from a file")
    .option("--json", "print the comparison as JSON, with diffs");
  addConfigFlags(command).action(async (words: readonly string[], options: CompareOptions) =>
    done(await compare(host, words, options)),
  );
}

async function compare(host: Host, words: readonly string[], options: CompareOptions): Promise<ExitCode> {
  assertCandidate(options);
  const prompt = await readPrompt(host, { words, file: options.file });
  const workspace = absolutePath(options.workspace ?? ".", { ...host, base: host.cwd });
  const stop = new AbortController();
  const stopper = createStopper(host);
  stopper.onStop(() => stop.abort());
  // A setting has the same name, for prices and aliases.
  const { models: _, ...settings } = options;
  const connection = await connectGateway(host, loadHostConfig(host, settings), { workspace });
  try {
    const { client } = connection;
    const { id } = await client.startComparison(wantedBy(options, prompt, workspace));
    const leaving = new AbortController();
    const held = hold(client, id, leaving.signal);
    try {
      return await finish(host, options, { client, id, signal: stop.signal });
    } finally {
      leaving.abort();
      await held;
    }
  } finally {
    await connection.close();
    stopper.release();
  }
}

function wantedBy(options: CompareOptions, prompt: string, workspace: string): StartComparison {
  const { models, check, lane, permission, sandbox, machine } = options;
  return {
    prompt,
    models,
    workspace,
    attended: true,
    ...(check === undefined ? {} : { check }),
    ...(lane === undefined || lane === "auto" ? {} : { lane }),
    ...(permission === undefined ? {} : { permission }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(machine === undefined ? {} : { machine }),
  };
}

/** Follows the comparison: the gateway drops one without followers, and a person may take long to choose. */
async function hold(client: NativeClient, id: string, signal: AbortSignal): Promise<void> {
  try {
    for await (const { state } of client.followComparison(id, { signal })) if (state === "dropped") return;
  } catch {
    // The gateway is gone or has dropped it: the next request reports that.
  }
}

interface Started {
  readonly client: NativeClient;
  readonly id: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/**
 * What is not picked is dropped: no worktree is left but those that hold what nobody has chosen to lose. Where the pick was refused, or
 * the command was stopped, nobody has chosen anything.
 */
async function finish(host: Host, options: CompareOptions, started: Started): Promise<ExitCode> {
  const { client, id, signal } = started;
  let picked: ComparisonView | undefined;
  let results: ComparisonView | undefined;
  let hasChosen = false;
  try {
    results = await waitForResults(host, options, started);
    if (options.json !== true) await printResults(host, results);
    picked = await pick(host, options, results, started);
    hasChosen = !signal.aborted;
    return picked === undefined && signal.aborted ? exitCodes.cancelled : exitCodes.completed;
  } catch (reason) {
    if (signal.aborted) return exitCodes.cancelled;
    throw reason;
  } finally {
    const last = picked ?? (await client.dropComparison(id, whatGoes(options, hasChosen)));
    if (options.json === true) await printJson(host, { ...results, ...last });
    else await write(host.stdout, `${endLine(last)}\n`);
  }
}

function whatGoes({ force }: CompareOptions, hasChosen: boolean): DropComparison {
  if (!hasChosen) return { keep: true };
  return force === undefined ? {} : { force };
}

/** What is refused can be chosen otherwise by a person: nothing has changed. Undefined when none is wanted. */
async function pick(
  host: Host,
  options: CompareOptions,
  results: ComparisonView,
  { client, id, signal }: Started,
): Promise<ComparisonView | undefined> {
  const { message, pick: named } = options;
  for (let shown = results; ; shown = await client.getComparison(id)) {
    const chosen = await choose(host, options, shown, signal);
    if (chosen === undefined) return undefined;
    try {
      return await client.pickCandidate(id, { ...chosen, ...(message === undefined ? {} : { message }) });
    } catch (reason) {
      if (named !== undefined || !isRefusal(reason)) throw reason;
      await write(host.stdout, `${cleanText(`${reason.message}\n${reason.fix ?? ""}`).trimEnd()}\n`);
    }
  }
}

function isRefusal(reason: unknown): reason is CaretError {
  return CaretError.is(reason) && (reason.code === "invalid-request" || reason.code === "unsupported");
}

async function waitForResults(host: Host, { json }: CompareOptions, started: Started): Promise<ComparisonView> {
  const { client, id, signal } = started;
  const look = hostLook(host);
  const live = look.isTty && json !== true ? createLiveLines(host.stdout) : undefined;
  let view: ComparisonView | undefined;
  const show = (): void => {
    if (view !== undefined) live?.show(progressLines(view, look, Date.now()));
  };
  const clock = live === undefined ? undefined : setInterval(show, 1000);
  try {
    for await (view of client.followComparison(id, { signal })) {
      show();
      if (view.state !== "running") return view;
    }
  } finally {
    clearInterval(clock);
    live?.clear();
  }
  throw new CaretError("cancelled", "The comparison was stopped");
}

async function printResults(host: Host, results: ComparisonView): Promise<void> {
  const look = hostLook(host);
  await write(host.stdout, `${resultLines(results, look).join("\n")}\n`);
}

/** Undefined: none. A candidate named on the command line is merged without asking. */
async function choose(
  host: Host,
  { pick, json, force = false }: CompareOptions,
  { candidates }: ComparisonView,
  signal: AbortSignal,
): Promise<PickedCandidate | undefined> {
  if (pick !== undefined) {
    const found = candidates.find(({ id, model }) => id === pick || model === pick);
    return found && { candidate: found.id, force };
  }
  const canAsk = host.stdin.isTTY === true && host.stdout.isTTY === true && json !== true;
  return canAsk ? await pickInTerminal(host, candidates, signal) : undefined;
}

/** Before anything works for it. */
function assertCandidate({ pick, models }: CompareOptions): void {
  if (pick === undefined || models.some((model, index) => model === pick || String(index + 1) === pick)) return;
  throw new CaretError("invalid-request", `--pick: there is no candidate ${pick}`, {
    fix: `Name one of ${models.join(", ")}.`,
  });
}

function endLine({ picked, candidates }: ComparisonView): string {
  const left = candidates.flatMap(({ model, kept }) => (kept === undefined ? [] : [keptLine(model, kept)]));
  const end = left.length === 0 ? "the worktrees are removed." : `these worktrees are kept:\n${left.join("\n")}`;
  if (picked === undefined) return `Nothing was merged; ${end}`;
  const { candidate, merge } = picked;
  const model = candidates.find(({ id }) => id === candidate)?.model ?? candidate;
  return `Merged ${model} into ${merge.into}: ${merge.files.length} files, ${merge.commit.slice(0, 12)}; ${end}`;
}

/** File names chosen by an agent are untrusted text for a terminal. */
function keptLine(model: string, { path, files, omitted }: KeptCandidate): string {
  const more = omitted === 0 ? "" : ` and ${omitted} more`;
  return `  ${cleanLine(`${model}: ${path} has ${files.join(", ")}${more}`)}`;
}

function toNames(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.length > 1 && names.every((name) => name !== "")) return names;
  throw new InvalidArgumentError("At least two models are expected, with commas between.");
}
