import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Host } from "../host/host.ts";

/** The command that opens links in the person's browser; undefined if they would not see it. */
export function linkOpener({ env, platform }: Pick<Host, "env" | "platform">): readonly string[] | undefined {
  if (env["NO_OPEN_BROWSER"] || env["SSH_CONNECTION"] || env["SSH_TTY"]) return undefined;
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] || env["BROWSER"] ? ["xdg-open"] : undefined;
}

/** Resolves to false if no browser could be started. The link is an argument, so it must not contain a secret. */
export async function openLink(link: string, opener: readonly string[], { env }: Pick<Host, "env">): Promise<boolean> {
  const [program = "", ...args] = opener;
  try {
    const child = spawn(program, [...args, link], { env, stdio: "ignore", detached: true });
    await once(child, "spawn");
    child.unref();
    return true;
  } catch {
    return false; // no such program; the link was printed for the person
  }
}
