import { playModel } from "../agent/play-model.ts";
import type { Simulation } from "../config/simulation.ts";
import { createByteWriter } from "../process/byte-writer.ts";
import { CliFailure } from "../process/cli-failure.ts";
import { readContractInput } from "./contract-input.ts";
import { ContractStage, HandedOver } from "./contract-stage.ts";
import { type ContractTurn, parseContractTurn } from "./contract-turn.ts";

/**
 * The contract dialect: one line of turn JSON comes in on stdin, events of the form `{type, data}` go out, bare or in
 * sentinel frames. Command-line arguments are not looked at, because every contract CLI has its own.
 */
export async function runContract(simulation: Simulation): Promise<void> {
  const { host, stop } = simulation;
  const writer = createByteWriter(host.stdout);
  stop.signal.addEventListener("abort", writer.cut);
  const isFramed = host.env["CARET_SIM_SENTINEL"] === "1";
  const emit = (type: string, data: Readonly<Record<string, unknown>>): void => {
    const json = JSON.stringify({ type, data });
    writer.write(isFramed ? `__JSON_START__\n${json}\n__JSON_END__\n` : `${json}\n`);
    writer.flush();
  };
  let stage: ContractStage | undefined;
  const input = readContractInput(host.stdin, () => {
    stage?.end("cancelled");
    void writer.drained().then(() => host.exit(0));
  });
  const line = await input.firstLine;
  simulation.recordInvocation(Buffer.from(line));
  const turn = parseContractTurn(line);
  if (turn === undefined) {
    emit("error", { code: "BAD_TURN", message: "The first line of stdin is not a turn" });
    throw new CliFailure("The first line of stdin is not a turn");
  }
  stage = new ContractStage({
    messages: turn.messages,
    emit,
    protocolVersion: host.env["CARET_SIM_PROTOCOL"] ?? "1.0",
    resultOf: input.resultOf,
    ids: simulation.ids,
    signal: stop.signal,
  });
  try {
    await play(simulation, turn, stage, writer);
  } catch (error) {
    if (!(error instanceof HandedOver)) throw error;
    stage.end("tool_calls");
  }
  await writer.drained();
}

async function play(
  simulation: Simulation,
  turn: ContractTurn,
  stage: ContractStage,
  writer: ReturnType<typeof createByteWriter>,
): Promise<void> {
  const { host, scenario, stop, log } = simulation;
  const users = turn.messages.flatMap((message) => (message.role === "user" ? [message.text] : []));
  const prompt = users.at(-1) ?? "";
  if (scenario !== undefined) {
    const { selectTurn, takeTicket } = await import("../scenario/select-turn.ts");
    const earlierTurns = Math.max(users.length - 1, 0);
    const ticket = () => takeTicket(scenario.path);
    const steps = selectTurn({ scenario: scenario.value, ticket, prompt, earlierTurns });
    if (steps !== undefined) {
      const { playScenario } = await import("../agent/play-scenario.ts");
      const words = { prompt, sessionId: turn.turnId, workspace: host.cwd };
      const { processFaults } = await import("../scenario/faults.ts");
      const { signal } = stop;
      const faults = processFaults({ host, stop, log, writer, signal });
      return playScenario({ faults, signal, flush: writer.flush, pace: scenario.value, words, stage, steps });
    }
  }
  const { createRuleModel } = await import("../model/rule-model.ts");
  const model = createRuleModel({ seed: simulation.ids.fork(turn.turnId).number() });
  const request = { nativeTools: [], offeredTools: turn.tools, mode: "agent", workspace: host.cwd } as const;
  await playModel({ model, stage, request: () => request });
}
