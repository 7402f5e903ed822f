import { readFileSync } from "node:fs";
import { CaretError, trimEndOf } from "@caret/protocol";
import type { Command } from "commander";
import { z } from "zod";
import type { ExitCode, Host } from "../host.ts";
import { type GatewayLock, readLockFile } from "../serve/gateway-lock.ts";
import { addConfigFlags, loadHostConfig } from "./config-flags.ts";
import { printJson, printLines, write } from "./print.ts";

interface LinkOptions {
  readonly json?: boolean;
  readonly qr?: boolean;
  readonly base?: string;
}

const PATIENCE_MS = 5_000;
const linkSchema = z.object({ url: z.string(), expiresAt: z.number() });

export function addLinkCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("link")
    .description("a link that signs a browser in at the running gateway's page")
    .option("--qr", "also print it as a code for a phone's camera")
    .option("--base <url>", "the address under which the phone reaches the page: a tailnet's, a tunnel's")
    .option("--json", "print JSON");
  addConfigFlags(command).action(async (options: LinkOptions) => done(await link(host, options)));
}

async function link(host: Host, options: LinkOptions): Promise<ExitCode> {
  const { config } = loadHostConfig(host, { ...options });
  const gateway = readLockFile(config.dataDir, host.uid);
  if (gateway === undefined) throw noGateway("No gateway runs for this data directory");
  const made = under(options.base, await askForLink(gateway));
  if (options.json === true) return await printJson(host, made);
  // The link alone on standard output, so that it can be piped to where it belongs.
  await write(host.stderr, "caret: this link works once, for ten minutes\n");
  // Loaded only here: it belongs to the page.
  if (options.qr === true) {
    const { qrLines } = await import("@caret/web/qr");
    await write(host.stderr, `${qrLines(made.url).join("\n")}\n`);
  }
  return await printLines(host, [made.url]);
}

type Link = z.infer<typeof linkSchema>;

/** The same link under the address that another machine uses. */
function under(base: string | undefined, link: Link): Link {
  if (base === undefined) return link;
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol))
    throw new CaretError(
      "invalid-request",
      `--base must be an address such as https://machine.tailnet.ts.net, not ${base}`,
    );
  const { hash } = new URL(link.url);
  return { ...link, url: `${trimEndOf(base, "/")}/${hash}` };
}

/** A link that signs one browser in. Rejects when the gateway does not answer or has no token for us. */
export async function askForLink(gateway: GatewayLock): Promise<z.infer<typeof linkSchema>> {
  const response = await fetch(new URL("/api/links", gateway.url), {
    method: "POST",
    headers: { authorization: `Bearer ${readToken(gateway)}`, "content-type": "application/json" },
    body: "{}",
    redirect: "error",
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((cause: unknown) => {
    throw noGateway(`The gateway at ${gateway.url} does not answer`, cause);
  });
  if (response.status === 401) throw noToken("The token of this gateway was revoked");
  const made = linkSchema.safeParse(await response.json().catch(() => undefined));
  if (made.success) return made.data;
  throw new CaretError("upstream-error", `The gateway at ${gateway.url} gives no links (status ${response.status})`, {
    fix: "Restart it: it may be of another version.",
  });
}

/** The token that a gateway of the same user keeps for its clients; undefined when there is none to be read. */
export function tokenOf(gateway: GatewayLock): string | undefined {
  try {
    return readToken(gateway);
  } catch {
    return undefined; // the request that needs the token reports why
  }
}

function readToken({ tokenFile }: GatewayLock): string {
  if (tokenFile === null) throw noToken("The gateway has no token of its own");
  try {
    return readFileSync(tokenFile, "utf8").trim();
  } catch (cause) {
    throw noToken(`The token in ${tokenFile} cannot be read`, cause);
  }
}

function noGateway(message: string, cause?: unknown): CaretError {
  return new CaretError("not-found", message, { cause, fix: "Start one with `caret serve`." });
}

function noToken(message: string, cause?: unknown): CaretError {
  const fix = "Make one with `caret token create <name> --scope admin` and ask `POST /api/links` with it.";
  return new CaretError("unauthenticated", message, { cause, fix });
}
