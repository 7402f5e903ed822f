import type { ServedDoor } from "./serve-door.ts";

export interface ChatMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** A request for a streamed chat completion, as it goes over the wire. */
export function chatRequest(door: ServedDoor, messages: readonly ChatMessage[]): Buffer {
  const body = Buffer.from(JSON.stringify({ model: door.model, stream: true, messages }));
  const about = ["content-type: application/json", `content-length: ${body.byteLength}`];
  return Buffer.concat([toHead(door, "POST /v1/chat/completions", about), body]);
}

export function getRequest(door: ServedDoor, path: string): Buffer {
  return toHead(door, `GET ${path}`, []);
}

function toHead({ url, token }: ServedDoor, order: string, more: readonly string[]): Buffer {
  const { host, pathname } = new URL(url);
  const line = `${order.replace(" ", ` ${pathname.replace(/\/$/, "")}`)} HTTP/1.1`;
  return Buffer.from([line, `host: ${host}`, `authorization: Bearer ${token}`, ...more, "", ""].join("\r\n"));
}

let count = 0;

/**
 * A prompt that was never sent before: the same one again could be taken for a client that comes back.
 * `agents/stand-in.c` describes the orders.
 */
export function uniquePrompt(orders: string): string {
  count += 1;
  return `Question ${count} of process ${process.pid}: ${orders}`;
}

/** A dialogue of so many messages of so many bytes each, that ends with the orders. */
export function uniqueDialogue(messages: number, bytesEach: number, orders: string): readonly ChatMessage[] {
  const filler = "all work and no play makes one long dialogue ".repeat(bytesEach / 45 + 1).slice(0, bytesEach);
  const start = uniquePrompt(filler);
  return Array.from({ length: messages }, (_, index) => {
    const content = index === 0 ? start : filler;
    return {
      role: (messages - 1 - index) % 2 === 0 ? "user" : "assistant",
      content: index === messages - 1 ? `${content} ${orders}` : content,
    };
  });
}
