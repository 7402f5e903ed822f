import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { GatewayHome } from "../clients/gateway-home.ts";

/** What `caret` runs. */
export const caretCommand = fileURLToPath(new URL("../../packages/cli/bin/caret.js", import.meta.url));

/** `caret run` in a process of its own, in a session that a gateway may serve at the same time. */
export async function runInTerminal(home: GatewayHome, sessionId: string, prompt: string): Promise<void> {
  const args = [caretCommand, "run", "--lane", "sim", "--force", "--quiet", "--session", sessionId, prompt];
  const child = spawn(process.execPath, args, {
    cwd: home.workspace,
    env: home.environment(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`caret run ended with ${code}: ${stderr}`);
}
