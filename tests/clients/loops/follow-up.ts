import { expect } from "vitest";
import { TmuxTerminal } from "../../chat/tmux-terminal.ts";
import { installClient } from "./client-package.ts";
import type { ClientPlace, CodingClient } from "./coding-client.ts";
import { clientEnvironment, goingOn, runClient } from "./run-client.ts";

/** What a client does in its own time. */
const patience = { timeout: 60_000, interval: 200 };

/**
 * Whether a client answers so when it is given another task in its last session: as a script, or in a terminal, which shows what
 * was said before as well.
 */
export async function followUp(
  client: CodingClient,
  place: ClientPlace,
  { task, answer }: { readonly task: string; readonly answer: string },
): Promise<boolean> {
  if (client.goOnInTerminal === undefined)
    return (await runClient(goingOn(client), place, task)).stdout.includes(answer);
  const { args, env } = client.prepare(place);
  const more = client.goOnInTerminal(place);
  const variables = Object.entries({ ...clientEnvironment(place), ...env }).map(([name, value]) => `${name}=${value}`);
  const words = ["TERM=tmux-256color", ...variables, await installClient(client.package), ...args, ...more.args];
  const terminal = await TmuxTerminal.open({ cwd: place.repository.directory, columns: 120, env: {} });
  const shows = async (text: string) => await expect.poll(() => terminal.screen(), patience).toContain(text);
  try {
    await terminal.enter(`env -i ${words.map((word) => `'${word}'`).join(" ")}`);
    await shows(more.ready);
    await terminal.type(task);
    // A return key in the same read as the words is a line of what was pasted.
    await shows(task);
    await terminal.press("Enter");
    await shows(answer);
    return true;
  } finally {
    await terminal.close();
  }
}
