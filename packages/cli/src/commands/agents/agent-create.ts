import {
  type AgentBudget,
  type AgentView,
  CaretError,
  type CreateAgent,
  type LaneName,
  type PermissionWord,
  type SandboxWord,
} from "@caret/protocol";
import { absolutePath } from "../../config/config-paths.ts";
import type { ExitCode } from "../../host/host.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import type { AgentOptions, AgentWork } from "./agent-work.ts";

interface ChoiceOptions extends AgentOptions {
  readonly model?: string;
  readonly policy?: PermissionWord;
  readonly sandbox?: SandboxWord;
  readonly budget?: string;
  readonly userServers?: boolean;
}

interface CreateOptions extends ChoiceOptions {
  readonly workspace?: string;
  readonly worktree?: string;
  readonly lane?: LaneName;
  readonly machine?: string;
}

export async function createAgent(
  { host, client, json }: AgentWork,
  name: string,
  { workspace, worktree, lane, machine, ...options }: CreateOptions,
): Promise<ExitCode> {
  const absolute = (path: string): string => absolutePath(path, { ...host, base: host.cwd });
  const place: Pick<CreateAgent, "workspace" | "worktree"> =
    worktree === undefined
      ? { workspace: absolute(workspace ?? ".") }
      : { worktree: absolute(worktree), ...(workspace === undefined ? {} : { workspace: absolute(workspace) }) };
  const agent = await client.createAgent({
    name,
    ...place,
    ...(lane === undefined ? {} : { lane }),
    ...(machine === undefined ? {} : { machine }),
    ...choices(options),
  });
  if (json) return await printJson(host, agent);
  return await printLines(host, [
    `Created ${name}, which works in ${agent.worktree === undefined ? agent.workspace : `a worktree of ${agent.worktree.repository}`}.`,
    `Give it work: ${host.command} agent send ${name} "…"`,
  ]);
}

export async function changeAgent(
  { host, client, json }: AgentWork,
  name: string,
  options: ChoiceOptions,
): Promise<ExitCode> {
  const agent = await client.changeAgent(name, choices(options));
  if (json) return await printJson(host, agent);
  return await printLines(host, [`${name}: ${settingsOf(agent)}. It holds from the next turn on.`]);
}

function choices({ model, policy, sandbox, budget, userServers }: ChoiceOptions): Omit<CreateAgent, "name"> {
  return {
    ...(model === undefined ? {} : { model }),
    ...(policy === undefined ? {} : { permission: policy }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(budget === undefined ? {} : { budget: readBudget(budget) }),
    ...(userServers === undefined ? {} : { userServers }),
  };
}

function settingsOf({ model, permission, sandbox, budget, userServers }: AgentView): string {
  const limits = Object.entries(budget).flatMap(([scope, limit]) =>
    Object.entries(limit).map(([unit, most]) => `${scope === "turn" ? "turn." : ""}${unit}=${most}`),
  );
  const words = [
    ...(model === undefined ? [] : [`model ${model}`]),
    `policy ${permission}`,
    `sandbox ${sandbox}`,
    ...(userServers === undefined ? [] : [`${userServers ? "with" : "without"} your MCP servers`]),
    `budget ${limits.length === 0 ? "none of its own" : limits.join(",")}`,
  ];
  return words.join(", ");
}

/** Parses `usd=5,tokens=200000,turn.usd=1`. */
function readBudget(text: string): AgentBudget {
  const limits = { turn: {} as Record<string, number>, session: {} as Record<string, number> };
  for (const part of text.split(",")) {
    const {
      turn,
      unit = "",
      amount = "",
    } = /^(?<turn>turn\.)?(?<unit>usd|tokens)=(?<amount>\d+(?:\.\d+)?)$/.exec(part.trim())?.groups ?? {};
    if (unit === "")
      throw new CaretError("invalid-request", `${JSON.stringify(part)} is not a limit`, {
        fix: "Write limits as usd=5, tokens=200000, turn.usd=1 or turn.tokens=50000, with commas between.",
      });
    limits[turn === undefined ? "session" : "turn"][unit] = Number(amount);
  }
  return limits;
}
