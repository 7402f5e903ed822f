import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { CaretError, isJsonObject, parseJson } from "@caret/protocol";
import type { StartedProgram } from "@caret/protocol/recipes";
import { valueAt } from "../config/setting-value.ts";
import { version } from "../host/program.ts";
import { readRegularFile } from "./read-regular-file.ts";
import type { Receipt } from "./receipt.ts";
import { parseSettings } from "./settings-editors.ts";

const PATIENCE_MS = 30_000;

/** The first request of each protocol. Nothing is done for it: no session, no turn. */
const greetings: Readonly<Record<StartedProgram["protocol"], object>> = {
  acp: { protocolVersion: 1, clientCapabilities: {}, clientInfo: { name: "caret-install", version } },
  mcp: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "caret-install", version } },
};

interface GreetOptions {
  readonly program: StartedProgram;
  readonly receipt: Receipt;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Starts what the client's file names, as the client will, and waits for its greeting. */
export async function greetProgram({ program: { protocol, words }, receipt, env }: GreetOptions): Promise<void> {
  const file = receipt.files[0];
  if (file === undefined) throw new CaretError("internal", "A receipt without files");
  const settings = parseSettings(file.format, readRegularFile(file.path).toString("utf8"));
  const [command = "", ...args] = words.flatMap((path) => valueAt(settings, path) as string | readonly string[]);
  const child = spawn(command, args, { env: { ...env }, stdio: ["pipe", "pipe", "ignore"] });
  const late = setTimeout(() => void child.kill("SIGKILL"), PATIENCE_MS);
  // A program that ends at once cannot be written to; that it gave no answer is what is said.
  child.stdin.on("error", () => undefined);
  child.on("error", () => undefined);
  try {
    const request = { jsonrpc: "2.0", id: 1, method: "initialize", params: greetings[protocol] };
    child.stdin.write(`${JSON.stringify(request)}\n`);
    for await (const line of createInterface({ input: child.stdout })) {
      const answer = parseJson(line);
      if (isJsonObject(answer) && answer["id"] === 1 && answer["result"] !== undefined) return;
    }
    throw new CaretError("agent-crashed", `What ${file.path} starts gave no answer: ${[command, ...args].join(" ")}`, {
      fix: "Run that command to see why. `caret uninstall` takes the settings back.",
    });
  } finally {
    clearTimeout(late);
    child.stdin.end();
    child.kill("SIGTERM");
  }
}
