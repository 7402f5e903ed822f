import { CaretError } from "@caret/protocol";
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { createLineSplitter } from "../../decode/framing/line-splitter.ts";
import type { ChildHandle } from "../../process/child-handle.ts";

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const GRACE_MS = 2_000;

/** MCP over the standard streams of a child started by our spawner, which leaves no orphans. */
export class ChildTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];
  readonly #spawn: () => ChildHandle;
  #child: ChildHandle | undefined;

  constructor(spawn: () => ChildHandle) {
    this.#spawn = spawn;
  }

  async start(): Promise<void> {
    const child = this.#spawn();
    this.#child = child;
    if (!(await child.started)) {
      const exit = await child.exit;
      throw exit.kind === "failed-to-start" ? exit.error : new CaretError("internal", "It ended before it started");
    }
    void this.#read(child);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const outcome = await this.#child?.writeStdin(`${JSON.stringify(message)}\n`);
    if (outcome !== "written") throw new CaretError("upstream-unreachable", "it no longer reads its input");
  }

  async close(): Promise<void> {
    void this.#child?.endStdin();
    await this.#child?.stop({ reason: "closed", graceMs: GRACE_MS });
  }

  /** The last lines of standard error, for error messages. */
  stderrTail(): string {
    return this.#child?.stderrTail() ?? "";
  }

  async #read(child: ChildHandle): Promise<void> {
    const splitter = createLineSplitter({ maxLineBytes: MAX_MESSAGE_BYTES });
    for await (const chunk of child.stdout) {
      const { lines, failure } = splitter.push(chunk);
      for (const line of lines) this.#hear(line);
      if (failure === undefined) continue;
      this.onerror?.(failure);
      break;
    }
    await child.stop({ reason: "closed", graceMs: GRACE_MS });
    this.onclose?.();
  }

  #hear(line: string): void {
    try {
      this.onmessage?.(parseJSONRPCMessage(JSON.parse(line)));
    } catch (reason) {
      // Some servers print greetings instead of messages; that is no reason to disconnect.
      this.onerror?.(CaretError.from(reason));
    }
  }
}
