import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { Command, InvalidArgumentError } from "commander";
import { loadScenario } from "../scenario/load-scenario.ts";
import { createSelfSigned } from "./net/self-signed.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

export interface RunningUpstream {
  readonly upstream: Upstream;
  /** Where it listens, as one line of JSON. */
  readonly greeting: string;
}

interface Flags {
  readonly host: string;
  readonly port: number;
  readonly scenario?: string;
  readonly seed?: string;
  readonly log?: string;
  readonly tls?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Starts the upstream as the program's arguments want it. */
export async function runUpstream(argv: readonly string[]): Promise<RunningUpstream> {
  const flags = parseFlags(argv);
  const tls = chooseTls(flags);
  const { log } = flags;
  const upstream = await startUpstream({
    host: flags.host,
    port: flags.port,
    ...(flags.scenario === undefined ? {} : { scenario: await loadScenario(flags.scenario) }),
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
    ...(tls === undefined ? {} : { tls }),
    ...(log === undefined ? {} : { log: (record) => appendFileSync(log, `${JSON.stringify(record)}\n`) }),
  });
  const secure = tls === undefined ? {} : { secureUrl: upstream.secureUrl };
  return { upstream, greeting: `${JSON.stringify({ event: "listening", url: upstream.url, ...secure })}\n` };
}

function parseFlags(argv: readonly string[]): Flags {
  const program = new Command("caret-sim-upstream")
    .description("A stand-in for Cursor's servers, on a port of this machine.")
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option("--port <number>", "the port to listen on; 0 takes a free one", toPort, 0)
    .option("--scenario <file>", "what to do instead of thinking, JSON or YAML")
    .option("--seed <text>", "makes ids repeat")
    .option("--log <file>", "gets a line of JSON per request and per message of a client")
    .option("--tls <file>", "speak TLS too, with a new certificate that is written to this file")
    .option("--cert <file>", "speak TLS too, with this certificate; needs --key")
    .option("--key <file>", "the key of --cert");
  return program.parse([...argv], { from: "user" }).opts<Flags>();
}

function toPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a number from 0 to 65535.");
}

function chooseTls({ tls, cert, key, host }: Flags): { readonly cert: string; readonly key: string } | undefined {
  if (cert !== undefined && key !== undefined) {
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  }
  if (tls === undefined) return undefined;
  const made = createSelfSigned({ names: ["localhost", ...new Set(["127.0.0.1", host])] });
  writeFileSync(tls, made.cert);
  return made;
}
