import { randomBytes, randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { CaretError } from "@caret/protocol";
import { logIn, openCredentialStore } from "@caret/runtime";
import type { Command } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { controlAccess } from "../../credentials/control-access.ts";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { hostLook } from "../../terminal/look.ts";
import { linkOpener, openLink } from "../../terminal/open-link.ts";
import { printLines, toPlainJson, write } from "../../terminal/print.ts";
import { createStopper } from "../../terminal/stopper.ts";
import { cleanLine } from "../../terminal/text-cleaner.ts";

interface LoginOptions {
  readonly json?: boolean;
}

type Summary = Awaited<ReturnType<typeof logIn>>;

export function addLoginCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("login")
    .description("log in to Cursor by a link, for the api lane")
    .option("--json", "print JSON, one object a line");
  addConfigFlags(command).action(async (options: LoginOptions) => done(await login(host, options)));
}

async function login(host: Host, options: LoginOptions): Promise<ExitCode> {
  const { config } = loadHostConfig(host, { ...options });
  const access = controlAccess(host, config);
  const stopping = new AbortController();
  const stopper = createStopper(host);
  stopper.onStop(() => stopping.abort(new CaretError("cancelled", "The login was cancelled: nothing was kept")));
  let stopOffering: (() => void) | undefined;
  try {
    const summary = await logIn({
      ...access,
      store: openCredentialStore(config.dataDir),
      randomBytes,
      newId: randomUUID,
      wallClock: Date.now,
      signal: stopping.signal,
      onLink: (link) => {
        stopOffering = options.json === true ? printEvent(host, { event: "link", url: link }) : offerLink(host, link);
      },
    });
    return options.json === true ? await printSummary(host, summary) : await tellSummary(host, summary);
  } catch (reason) {
    if (!stopping.signal.aborted) throw reason;
    await write(host.stderr, "caret: the login was cancelled; nothing was kept\n");
    return exitCodes.cancelled;
  } finally {
    stopOffering?.();
    stopper.release();
  }
}

function printEvent(host: Host, event: Readonly<Record<string, unknown>>): undefined {
  void write(host.stdout, `${toPlainJson(event)}\n`);
}

/** Shows the link; in a terminal, Enter opens it. Returns the function that stops listening for Enter. */
function offerLink(host: Host, link: string): () => void {
  const opener = host.stdin.isTTY === true && hostLook(host).isTty ? linkOpener(host) : undefined;
  const lines = ["Open this link in a browser and log in to Cursor:", "", `  ${link}`, ""];
  const hint = opener === undefined ? "Waiting for the login; Ctrl-C stops." : "Enter opens it here; Ctrl-C stops.";
  void printLines(host, [...lines, hint]);
  if (opener === undefined) return () => undefined;
  const keyboard = createInterface({ input: host.stdin, terminal: false });
  keyboard.once("line", async () => {
    const isOpen = await openLink(link, opener, host);
    await printLines(host, [isOpen ? "Waiting for the login in the browser." : "No browser started: open the link."]);
  });
  return () => keyboard.close();
}

async function printSummary(host: Host, { origin, kind, email, expiresAt, note }: Summary): Promise<ExitCode> {
  const shown = { event: "logged-in", server: origin, kind, email: email ?? null, expiresAt: expiresAt ?? null };
  printEvent(host, { ...shown, note: note ?? null });
  return exitCodes.completed;
}

async function tellSummary(host: Host, { email, expiresAt, note }: Summary): Promise<ExitCode> {
  const { style, glyphs } = hostLook(host);
  const who = email === undefined ? "Logged in" : `Logged in as ${cleanLine(email)}`;
  const [day = ""] = expiresAt === undefined ? [] : new Date(expiresAt).toISOString().split("T", 1);
  const kept =
    note === undefined
      ? `An API key was made for Caret, which is valid until ${day}. \`caret logout\` revokes it.`
      : `No API key was made (${cleanLine(note)}), so the login of the browser is kept.`;
  const hidden = ["CURSOR_API_KEY", "CURSOR_AUTH_TOKEN"].filter((name) => host.env[name]);
  return await printLines(host, [
    `${style.green(glyphs.ok)} ${who}`,
    `  ${kept}`,
    ...hidden.map((name) => `  ${name} is set and comes before this login: unset it to use the login.`),
  ]);
}
