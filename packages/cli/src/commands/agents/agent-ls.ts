import { type AgentDoing, type AgentView, formatCost, formatTokens, promptTokens } from "@caret/protocol";
import type { ExitCode } from "../../host/host.ts";
import { elapsedText } from "../../terminal/amount-text.ts";
import { hostLook } from "../../terminal/look.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { tableLines } from "../../terminal/table-lines.ts";
import { cleanLine } from "../../terminal/text-cleaner.ts";
import type { AgentWork } from "./agent-work.ts";

const head = [
  { title: "name" },
  { title: "doing" },
  { title: "since", align: "right" },
  { title: "waiting", align: "right" },
  { title: "cost", align: "right" },
  { title: "model", cut: "end" },
  { title: "last", cut: "end" },
] as const;

export async function listAgents({ host, client, json }: AgentWork): Promise<ExitCode> {
  const agents = await client.listAgents();
  if (json) return await printJson(host, agents);
  if (agents.length === 0)
    return await printLines(host, [`There are no agents. \`${host.command} agent create NAME\` creates one.`]);
  const now = Date.now();
  return await printLines(host, [
    ...tableLines(
      head,
      agents.map((agent) => toRow(agent, now)),
      hostLook(host),
    ),
  ]);
}

function toRow(agent: AgentView, now: number): readonly string[] {
  const { name, doing, waiting, model, report, lastLine } = agent;
  return [
    name,
    doingWords(agent),
    elapsedText(now - doing.since),
    waiting === 0 ? "" : String(waiting),
    costOf(agent),
    model ?? "",
    report?.text ?? lastLine,
  ];
}

/** What an agent is doing, in a word or two; if it asks a person something, that instead. */
export function doingWords({
  doing,
  lastOutcome,
  chatLost,
  toHuman,
}: Pick<AgentView, "doing" | "lastOutcome" | "chatLost" | "toHuman">): string {
  const lost = chatLost === true ? " (chat lost)" : "";
  const [asked] = toHuman;
  if (asked !== undefined && doing.kind !== "waiting") return `asks you: ${cleanLine(asked.text)}${lost}`;
  return `${wordsOf(doing, lastOutcome)}${lost}`;
}

function wordsOf(doing: AgentDoing, lastOutcome: AgentView["lastOutcome"]): string {
  switch (doing.kind) {
    case "running":
      return doing.elsewhere === true ? "works elsewhere" : "works";
    case "waiting":
      return `waits: ${doing.waitsFor} ${doing.about}`;
    case "queued":
      return doing.problem === undefined ? "waits for a place" : `waits: ${doing.problem}`;
    case "suspended":
      return doing.why === undefined ? "suspended" : `suspended: ${doing.why}`;
    default:
      return lastOutcome === "failed" ? "idle (last turn failed)" : "idle";
  }
}

function costOf({ usage }: AgentView): string {
  if (usage === undefined) return "";
  if (usage.cost !== undefined) return formatCost(usage.cost);
  return `${formatTokens(promptTokens(usage) + (usage.output ?? 0))} tokens`;
}
