import { Argument, type Command } from "commander";
import { findView } from "../../chat/find-view.ts";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { beforeNewestTurn, jsonTranscript, printedTranscript } from "../../following/followed-transcript.ts";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { terminalTraits } from "../../terminal/look.ts";
import { type AgentOptions, type AgentWork, withAgents } from "../agents/agent-work.ts";

interface AttachOptions extends AgentOptions {
  readonly plain?: boolean;
}

export function addAttachCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("attach")
    .description("join a session that runs anywhere: watch, answer, steer, stop")
    .addArgument(new Argument("<id>", "the session's id, the beginning of it, or an agent's name"))
    .option("--plain", "line by line, nothing drawn again: for screen readers")
    .option("--json", "print events, one JSON object a line, until the turn ends");
  addConfigFlags(command).action(async (id: string, options: AttachOptions) =>
    done(await withAgents(host, options, (work) => attach(work, id, options))),
  );
}

async function attach(work: AgentWork, id: string, options: AttachOptions): Promise<ExitCode> {
  const { host, client, json } = work;
  const view = await findView(client, id);
  if (json || host.stdin.isTTY !== true || !(terminalTraits(host).isTty || options.plain === true))
    return await follow(work, view.id, view.lastSeq);
  const { openChat } = await import("../../chat/open-chat.ts");
  await openChat(host, {
    loaded: loadHostConfig(host, options),
    wanted: { workspace: view.workspace },
    mode: "agent",
    isPlain: options.plain === true,
    begin: (controls) => controls.open(view),
  });
  return exitCodes.completed;
}

/** Without a terminal: follows the newest turn to its end. */
async function follow({ host, client, json }: AgentWork, sessionId: string, lastSeq: number): Promise<ExitCode> {
  if (lastSeq === 0) return exitCodes.completed;
  const after = await beforeNewestTurn(client, sessionId, lastSeq);
  const leaving = new AbortController();
  const release = host.onSignal(() => leaving.abort());
  const shown = json ? jsonTranscript(host) : printedTranscript(host, sessionId);
  try {
    for await (const batch of client.followEvents(sessionId, { after, signal: leaving.signal })) {
      await shown.take(batch);
      const end = batch.find(({ event }) => event.type === "turn-end")?.event;
      if (end?.type === "turn-end") return exitCodes[end.outcome.kind];
    }
    return exitCodes.cancelled;
  } finally {
    release();
    await shown.close();
  }
}
