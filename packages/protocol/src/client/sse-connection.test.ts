import { describe, expect, it } from "vitest";
import type { NativeWire } from "./native-wire.ts";
import { sseConnection } from "./sse-connection.ts";

/** The messages parsed from a stream of these chunks. */
async function messagesOf(chunks: readonly Uint8Array[]) {
  const headers = { "content-type": "text/event-stream" };
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      for (const chunk of chunks) stream.enqueue(chunk);
      stream.close();
    },
  });
  const wire: Pick<NativeWire, "open"> = { open: async () => new Response(body, { headers }) };
  const messages: unknown[] = [];
  const source = { path: "/", signal: new AbortController().signal };
  for await (const batch of sseConnection(wire as NativeWire, source)) messages.push(...(batch ?? []));
  return messages;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function cut(all: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
}

describe("an event stream", () => {
  it("says the same however its bytes are cut", async () => {
    const pieces = ["\n", "\n\n", "data: a\n", "data: é\n\n", "id: 1\n", ": beat\n\n", "\r\n", "x"];
    for (const text of pieces.flatMap((one) => pieces.flatMap((two) => pieces.map((three) => one + two + three)))) {
      const all = bytes(`${text}\n\n`);
      const whole = await messagesOf([all]);
      for (const size of [1, 2, 3]) expect([text, size, await messagesOf(cut(all, size))]).toEqual([text, size, whole]);
    }
  });

  it("is read in time that its length bounds, however small the chunks are", async () => {
    const milliseconds = async (length: number): Promise<number> => {
      const chunks = cut(bytes(`data: ${"x".repeat(length)}\n\n`), 32);
      const start = performance.now();
      expect(await messagesOf(chunks)).toHaveLength(1);
      return performance.now() - start;
    };
    await milliseconds(100_000);
    const [short, long] = [await milliseconds(100_000), await milliseconds(1_000_000)];
    // Ten times the text: what grows with its square takes a hundred times as long.
    expect(long).toBeLessThan(35 * Math.max(short, 5));
  });
});
