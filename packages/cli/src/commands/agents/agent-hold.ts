import type { ExitCode } from "../../host/host.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { doingWords } from "./agent-ls.ts";
import type { AgentOptions, AgentWork } from "./agent-work.ts";

interface SuspendOptions extends AgentOptions {
  readonly now?: boolean;
}

interface RemoveOptions extends AgentOptions {
  readonly force?: boolean;
}

export async function suspendAgent(
  { host, client, json }: AgentWork,
  name: string,
  { now }: SuspendOptions,
): Promise<ExitCode> {
  const agent = await client.suspendAgent(name, now === true ? { now } : {});
  if (json) return await printJson(host, agent);
  const isDone = agent.doing.kind === "suspended";
  return await printLines(host, [
    isDone
      ? `${name} is suspended: nothing of it runs. \`${host.command} agent resume ${name}\` lets it go on.`
      : `${name} takes no more messages and is suspended when its turn ends; --now cancels that.`,
  ]);
}

export async function resumeAgent({ host, client, json }: AgentWork, name: string): Promise<ExitCode> {
  const agent = await client.resumeAgent(name);
  if (json) return await printJson(host, agent);
  const lost =
    agent.chatLost === true
      ? ["Its chat is gone upstream: the next turn begins a new one, and is given the transcript of the earlier turns."]
      : [];
  return await printLines(host, [`${name} goes on: ${doingWords(agent)}.`, ...lost]);
}

export async function stopAgent({ host, client, json }: AgentWork, name: string): Promise<ExitCode> {
  const dropped = await client.stopAgent(name);
  if (json) return await printJson(host, { dropped });
  const words = dropped.length === 1 ? "1 message" : `${dropped.length} messages`;
  return await printLines(host, [`${name} is stopped; ${words} dropped from its queue.`]);
}

export async function removeAgent(
  { host, client, json }: AgentWork,
  name: string,
  { force }: RemoveOptions,
): Promise<ExitCode> {
  await client.removeAgent(name, force === true ? { force } : {});
  if (json) return await printJson(host, { name });
  return await printLines(host, [`Removed ${name}.`]);
}
