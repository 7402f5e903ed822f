import { request } from "node:http";
import type { ServedDoor } from "../../bench/doors/serve-door.ts";

/** A streamed chat completion, put together again. */
export interface ReadChat {
  readonly status: number;
  readonly text: string;
  readonly finish: string | undefined;
  /** The stream said itself that it was over. */
  readonly isDone: boolean;
}

interface Chunk {
  readonly choices: readonly {
    readonly delta: { readonly content?: string };
    readonly finish_reason: string | null;
  }[];
}

/** Ask for a streamed answer and read it to its end, as a client does. */
export async function readChat({ url, token }: ServedDoor, prompt: string): Promise<ReadChat> {
  const { status, body } = await post(url, token, prompt);
  const lines = body.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
  const chunks = lines.filter((line) => line !== "[DONE]").map((line) => JSON.parse(line) as Chunk);
  const choices = chunks.flatMap((chunk) => chunk.choices);
  return {
    status,
    text: choices.map(({ delta }) => delta.content ?? "").join(""),
    finish: choices.findLast(({ finish_reason }) => finish_reason !== null)?.finish_reason ?? undefined,
    isDone: lines.at(-1) === "[DONE]",
  };
}

function post(url: string, token: string, prompt: string): Promise<{ readonly status: number; readonly body: string }> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/chat/completions`, { method: "POST", headers, agent: false }, async (response) => {
      try {
        const parts: Buffer[] = [];
        for await (const part of response) parts.push(part as Buffer);
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString("utf8") });
      } catch (reason) {
        reject(reason);
      }
    });
    sent.on("error", reject);
    sent.end(JSON.stringify({ model: "auto", stream: true, messages: [{ role: "user", content: prompt }] }));
  });
}
