import { Agent, request } from "node:http";
import type { ServedDoor } from "./serve-door.ts";

export interface Answer {
  readonly status: number;
  /** From sending the request to the first delta, in milliseconds. */
  readonly firstTokenMs: number;
  /** How long each delta was on its way, in milliseconds. */
  readonly latenciesMs: readonly number[];
}

export interface Question {
  readonly prompt: string;
  /** How many deltas the agent was asked for. What a raw answer repeats after them is not counted. */
  readonly deltas: number;
  /** Hangs up when it fires. */
  readonly signal?: AbortSignal;
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const MARK_LENGTH = "<000000000000000>".length;

/** Ask for a streamed chat completion and note when each delta arrives. Rejects when the connection breaks. */
export function askDoor({ url, token }: ServedDoor, question: Question): Promise<Answer> {
  const body = JSON.stringify({ model: "auto", stream: true, messages: [{ role: "user", content: question.prompt }] });
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const startedAt = nowMs();
  return new Promise((resolve, reject) => {
    const { signal } = question;
    const options = { method: "POST", headers, agent, ...(signal === undefined ? {} : { signal }) };
    const sent = request(`${url}/v1/chat/completions`, options, (response) => {
      const marks = createMarkReader(question.deltas);
      let firstTokenMs = Number.NaN;
      response.on("data", (chunk: Buffer) => {
        marks.read(chunk);
        if (Number.isNaN(firstTokenMs) && marks.latenciesMs.length > 0) firstTokenMs = nowMs() - startedAt;
      });
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, firstTokenMs, latenciesMs: marks.latenciesMs }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Finds the times that the agent wrote into its deltas, wherever the answer was cut. */
function createMarkReader(limit: number) {
  const latenciesMs: number[] = [];
  let rest = "";
  return {
    latenciesMs,
    read(chunk: Buffer): void {
      if (latenciesMs.length >= limit) return;
      const text = rest + chunk.toString("latin1");
      const now = nowMs();
      let start = text.indexOf("<0");
      for (; start !== -1 && text.length - start >= MARK_LENGTH; start = text.indexOf("<0", start + MARK_LENGTH))
        if (latenciesMs.length < limit) latenciesMs.push(now - Number(text.slice(start + 1, start + 16)) / 1000);
      rest = start === -1 ? text.slice(-1) : text.slice(start);
    },
  };
}

/** By the same clock the agent reads. */
function nowMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
