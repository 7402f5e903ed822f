import { CaretError, trimEndOf } from "@caret/protocol";
import type { Command } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { readLockFile } from "../../gateway/gateway-lock.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { askForLink, type Link, noGateway } from "../../serve/ask-for-link.ts";
import { printJson, printLines, write } from "../../terminal/print.ts";

interface LinkOptions {
  readonly json?: boolean;
  readonly qr?: boolean;
  readonly base?: string;
}

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
  // Only the link on standard output, so it can be piped.
  await write(host.stderr, "caret: this link works once, for ten minutes\n");
  // Loaded only here: it belongs to the page.
  if (options.qr === true) {
    const { qrLines } = await import("@caret/web/qr");
    await write(host.stderr, `${qrLines(made.url).join("\n")}\n`);
  }
  return await printLines(host, [made.url]);
}

/** The same link with the address another machine uses. */
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
