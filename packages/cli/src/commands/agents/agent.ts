import { permissionWords, sandboxWords } from "@caret/protocol";
import { Argument, type Command, Option } from "commander";
import { addConfigFlags } from "../../config/config-flags.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { attachAgent } from "./agent-attach.ts";
import { changeAgent, createAgent } from "./agent-create.ts";
import { removeAgent, resumeAgent, stopAgent, suspendAgent } from "./agent-hold.ts";
import { showLog } from "./agent-logs.ts";
import { listAgents } from "./agent-ls.ts";
import { mergeAgent, showDiff } from "./agent-merge.ts";
import { sendMessage } from "./agent-send.ts";
import { type AgentOptions, type AgentWork, withAgents } from "./agent-work.ts";

type Done = (code: ExitCode) => void;
type Run<Options> = (work: AgentWork, name: string, options: Options) => Promise<ExitCode>;

export function addAgentCommand(program: Command, host: Host, done: Done): void {
  const agent = program
    .command("agent")
    .description("named agents that work in the gateway, each in a workspace of its own");
  addMaking(agent, host, done);
  addTalking(agent, host, done);
  addHolding(agent, host, done);
  addBringingBack(agent, host, done);
}

function addMaking(agent: Command, host: Host, done: Done): void {
  const create = agent
    .command("create")
    .description("create an agent")
    .option("-w, --workspace <dir>", "where it works (default: the current directory)")
    .option("--worktree <repo>", "work in a worktree of this Git repository, on a branch of its own")
    .option("--machine <name>", "of a fleet, the one to live on (default: one that has the directory)");
  const lane = new Option("--lane <name>", "how its turns reach an agent").choices(["cli", "acp", "api", "sim"]);
  named(withChoices(create).addOption(lane), host, done, createAgent);
  named(
    withChoices(agent.command("set").description("change an agent, from its next turn on")),
    host,
    done,
    changeAgent,
  );
  finish(agent.command("ls").description("list agents: who works, who waits, for what, at what cost")).action(
    async (options: AgentOptions) => done(await withAgents(host, options, listAgents)),
  );
}

function withChoices(command: Command): Command {
  return command
    .option("-m, --model <name>", "its model")
    .addOption(new Option("--policy <word>", "how much it does without asking").choices(permissionWords))
    .addOption(new Option("--sandbox <word>", "what its processes are walled in by").choices(sandboxWords))
    .option("--user-servers", "your own MCP servers besides Caret's, where it runs its own tools (--policy full)")
    .option("--no-user-servers", "none of your own MCP servers")
    .option("--budget <limits>", "what it may consume: usd=5,tokens=200000,turn.usd=1");
}

function addTalking(agent: Command, host: Host, done: Done): void {
  const send = agent.command("send").description("put a message into an agent's queue");
  finish(send)
    .addArgument(nameArgument())
    .argument("[text...]", "the message; `-` or a pipe is standard input")
    .option("-f, --file <file>", "read the message from a file")
    .option("--wait", "wait for its turn and print the answer")
    .action(async (name: string, words: readonly string[], options: AgentOptions) =>
      done(await withAgents(host, options, (work) => sendMessage(work, name, words, options))),
    );
  named(
    agent
      .command("attach")
      .description("watch an agent work; what you type steers its turn, or waits in its queue")
      .option("--all", "from the beginning of its transcript"),
    host,
    done,
    attachAgent,
  );
  named(agent.command("logs").description("show what an agent said and did"), host, done, showLog);
}

function addHolding(agent: Command, host: Host, done: Done): void {
  named(
    agent
      .command("suspend")
      .description("free everything of an agent but its session, workspace and queue")
      .option("--now", "cancel its turn instead of waiting for the end"),
    host,
    done,
    suspendAgent,
  );
  named(agent.command("resume").description("let a suspended agent go on"), host, done, resumeAgent);
  named(agent.command("stop").description("cancel its turn and drop what waits in its queue"), host, done, stopAgent);
  named(
    agent
      .command("rm")
      .description("delete an agent with its session, queue and worktree")
      .option("--force", "also while it works, and with what nothing else has: work not merged, ignored files"),
    host,
    done,
    removeAgent,
  );
}

function addBringingBack(agent: Command, host: Host, done: Done): void {
  named(agent.command("diff").description("show what an agent changed"), host, done, showDiff);
  named(
    agent
      .command("merge")
      .description("bring a worktree's work back to the branch that is checked out, after a preview")
      .option("-y, --yes", "do not ask")
      .option("--preview", "only show what would change")
      .option("--message <text>", "the message of the commit"),
    host,
    done,
    mergeAgent,
  );
}

function named<Options extends AgentOptions>(command: Command, host: Host, done: Done, run: Run<Options>): Command {
  return finish(command)
    .addArgument(nameArgument())
    .action(async (name: string, options: Options) =>
      done(await withAgents(host, options, (work) => run(work, name, options))),
    );
}

function finish(command: Command): Command {
  return addConfigFlags(command.option("--json", "print JSON"));
}

function nameArgument(): Argument {
  return new Argument("<name>", "the agent's name");
}
