import { requireCredentials } from "../config/credentials.ts";
import type { GlobalOptions } from "../config/global-options.ts";
import type { Simulation } from "../config/simulation.ts";
import { createByteWriter } from "../process/byte-writer.ts";
import { chooseQuirks } from "../scenario/acp-quirks.ts";
import { AcpServer } from "./acp-server.ts";

/** `agent acp`: JSON-RPC by lines on stdin and stdout, until a signal ends it. */
export async function runAcp(simulation: Simulation, options: GlobalOptions): Promise<void> {
  const { host, configDir, scenario } = simulation;
  const isSignedOut = host.env["CURSOR_API_KEY"] === undefined && options.apiKey === undefined;
  const usesKey = !isSignedOut && requireCredentials({ env: host.env, configDir, ...options }).source !== "login";
  const has = chooseQuirks(scenario?.value.acp?.quirks ?? {});
  const writer = createByteWriter(host.stdout);
  simulation.stop.signal.addEventListener("abort", writer.cut);
  // In this mode `--yolo` has no effect.
  const force = options.force === true;
  const { peer } = new AcpServer({ simulation, writer, has, model: options.model, force, usesKey });
  simulation.recordInvocation();
  let rest = "";
  host.stdin.setEncoding("utf8");
  for await (const chunk of host.stdin) {
    const lines = `${rest}${String(chunk)}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") peer.take(line);
  }
  if (has("stays-after-eof")) await untilStopped(simulation.stop.signal);
}

/** A timer keeps the process; the signal's own exit ends it. */
async function untilStopped(signal: AbortSignal): Promise<never> {
  const held = setInterval(() => undefined, 60_000);
  signal.addEventListener("abort", () => clearInterval(held));
  return await new Promise<never>(() => undefined);
}
