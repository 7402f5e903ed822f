import { type AgentEventOf, approvalView, CaretError, type NativeClient, type SessionView } from "@caret/protocol";
import { Argument, type Command } from "commander";
import { confirmShown } from "../../asks/confirm-shown.ts";
import { allViews } from "../../chat/all-views.ts";
import { findView } from "../../chat/find-view.ts";
import { stateOf } from "../../chat/session-choices.ts";
import { addConfigFlags } from "../../config/config-flags.ts";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { ageText } from "../../terminal/amount-text.ts";
import { approvalCard } from "../../terminal/approval-card.ts";
import { hostLook } from "../../terminal/look.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { tableLines } from "../../terminal/table-lines.ts";
import { cleanLine } from "../../terminal/text-cleaner.ts";
import { type AgentOptions, type AgentWork, withAgents } from "../agents/agent-work.ts";

type Done = (code: ExitCode) => void;
type Approval = AgentEventOf<"approval-request">;

interface ApproveOptions extends AgentOptions {
  readonly yes?: boolean;
  readonly always?: boolean;
}

export function addApproveCommand(program: Command, host: Host, done: Done): void {
  const command = program
    .command("approve")
    .description("allow what a session waits for; without an id, list what waits")
    .addArgument(idArgument().argOptional())
    .option("-y, --yes", "do not show it and ask first")
    .option("--always", "also for the rest of the session, as narrowly as it is offered");
  finish(command).action(async (id: string | undefined, options: ApproveOptions) =>
    done(await withAgents(host, options, (work) => (id === undefined ? list(work) : approve(work, id, options)))),
  );
}

export function addDenyCommand(program: Command, host: Host, done: Done): void {
  const command = program
    .command("deny")
    .description("reject what a session waits for")
    .addArgument(idArgument())
    .argument("[reason...]", "what the agent is given as the reason");
  finish(command).action(async (id: string, reason: readonly string[], options: AgentOptions) =>
    done(await withAgents(host, options, (work) => deny(work, id, reason.join(" ").trim()))),
  );
}

export function addStopCommand(program: Command, host: Host, done: Done): void {
  const command = program.command("stop").description("stop the turn of a session").addArgument(idArgument());
  finish(command).action(async (id: string, options: AgentOptions) =>
    done(await withAgents(host, options, (work) => stop(work, id))),
  );
}

async function approve(work: AgentWork, id: string, { yes, always }: ApproveOptions): Promise<ExitCode> {
  const { host, client, json } = work;
  const view = await findView(client, id);
  const request = await openApproval(client, view);
  if (always === true && (request.grants?.length ?? 0) === 0)
    throw new CaretError("invalid-request", "This cannot be allowed for the rest of the session", {
      fix: `It is asked about each time: \`${host.command} approve ${id}\` allows it once.`,
    });
  if (yes !== true && !(await isAllowed(work, request, always === true))) return exitCodes.cancelled;
  const answered = await client.answerApproval(view.id, request.requestId, {
    decision: "approved",
    ...(always === true ? { remember: true } : {}),
  });
  if (json) return await printJson(host, { sessionId: view.id, requestId: request.requestId, ...answered });
  const granted = answered.granted === undefined ? "" : `; always in this session: ${answered.granted.label}`;
  return await printLines(host, [cleanLine(`Allowed: ${aboutOf(view)}${granted}`)]);
}

/** Shows in full what would run, and asks. */
async function isAllowed({ host, json }: AgentWork, request: Approval, isLasting: boolean): Promise<boolean> {
  const why = json ? "a program reads the output" : host.stdin.isTTY === true ? undefined : "there is no terminal";
  if (why !== undefined)
    throw new CaretError("invalid-request", `Nobody can be shown what would run: ${why}`, {
      fix: "Add --yes to allow it unseen.",
    });
  const look = hostLook(host);
  const { body } = approvalCard(request, { ...look, columns: look.isTty ? look.columns : undefined }, "session");
  const [granted] = isLasting ? approvalView(request).grants : [];
  await printLines(host, granted === undefined ? body : [...body, `  Always in this session: ${granted.label}`]);
  return await confirmShown(host, "Allow it?");
}

async function deny({ host, client, json }: AgentWork, id: string, reason: string): Promise<ExitCode> {
  const view = await findView(client, id);
  const { requestId } = await openApproval(client, view);
  await client.answerApproval(view.id, requestId, { decision: "rejected", ...(reason === "" ? {} : { reason }) });
  if (json) return await printJson(host, { sessionId: view.id, requestId });
  return await printLines(host, [cleanLine(`Rejected: ${aboutOf(view)}`)]);
}

async function stop({ host, client, json }: AgentWork, id: string): Promise<ExitCode> {
  const view = await findView(client, id);
  const { status } = view;
  if (status.kind !== "running" && status.kind !== "waiting")
    throw new CaretError("not-found", `No turn of ${view.id} runs: it is ${stateOf(view)}`, {
      fix: `\`${host.command} sessions ls\` shows the state of each session.`,
    });
  await client.cancelTurn(view.id, status.turnId);
  if (json) return await printJson(host, { sessionId: view.id, turnId: status.turnId });
  return await printLines(host, [cleanLine(`Stopped: ${view.title}`)]);
}

/** Lists everything that waits for a person, in any session. */
async function list({ host, client, json }: AgentWork): Promise<ExitCode> {
  // The longest wait is likely in a session not used since, so all are read.
  const waiting: SessionView[] = [];
  for await (const view of allViews(client)) if (stateOf(view) === "waiting for you") waiting.push(view);
  if (json) return await printJson(host, waiting);
  if (waiting.length === 0) return await printLines(host, ["Nothing needs you right now."]);
  const head = [
    { title: "id" },
    { title: "since" },
    { title: "for" },
    { title: "about", cut: "end" },
    { title: "title", cut: "end" },
  ] as const;
  const rows = waiting.map((view) => {
    const { status } = view;
    const [since, kind] = status.kind === "waiting" ? [status.since, status.waitsFor] : [undefined, ""];
    return [view.id.slice(0, 8), ageText(since, Date.now()), kind, aboutOf(view), view.title];
  });
  return await printLines(host, tableLines(head, rows, hostLook(host)));
}

/** The oldest pending approval of the session, in full, however large. */
async function openApproval(client: NativeClient, view: SessionView): Promise<Approval> {
  const { status } = view;
  if (status.kind === "waiting" && status.approval !== undefined) return status.approval;
  const { events } = await client.readLog(view.id, { before: view.lastSeq + 1, limit: 1_000 });
  const answered = new Set(events.flatMap(({ event }) => (event.type === "approval-answer" ? [event.requestId] : [])));
  const open = events.find(({ event }) => event.type === "approval-request" && !answered.has(event.requestId))?.event;
  const isWaiting = status.kind === "waiting" && status.waitsFor === "approval";
  if (isWaiting && open?.type === "approval-request") return open;
  throw new CaretError("not-found", `${view.id} does not wait for an approval: it is ${stateOf(view)}`, {
    fix: "`caret approve` lists what waits; a question is answered with `caret attach`.",
  });
}

function aboutOf({ status, title }: SessionView): string {
  return status.kind === "waiting" ? status.about : title;
}

function idArgument(): Argument {
  return new Argument("<id>", "the session's id, the beginning of it, or an agent's name");
}

function finish(command: Command): Command {
  return addConfigFlags(command.option("--json", "print JSON"));
}
