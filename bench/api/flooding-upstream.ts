import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { create, toBinary } from "@bufbuild/protobuf";
import { AgentServerMessageSchema } from "@caret/protocol/agent-api/run";

/**
 * An upstream that says as many deltas as the path of its address asks for, as fast as they are taken. A process of its own,
 * so that what it uses is not counted as its client's. On the message "connections" it answers how many there were.
 */
const TEXT = "token ";
/** Deltas that are written at once. */
const BLOCK = 1_000;

const delta = envelope(message({ case: "textDelta", value: { text: TEXT } }));
const block = Buffer.concat(Array.from({ length: BLOCK }, () => delta));
const ended = envelope(message({ case: "turnEnded", value: { inputTokens: 1n, outputTokens: 1n } }));
const endFrame = envelope(Buffer.from("{}"), 2);

function message(update: object): Uint8Array {
  const value = { message: update } as never;
  return toBinary(
    AgentServerMessageSchema,
    create(AgentServerMessageSchema, { message: { case: "interactionUpdate", value } }),
  );
}

function envelope(bytes: Uint8Array, flags = 0): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

let connections = 0;
const server = createServer();
server.on("session", () => {
  connections += 1;
});
server.on("stream", (stream, headers) => {
  stream.on("error", () => undefined); // a client may leave early
  stream.resume();
  const count = Number(/^\/(\d+)\//.exec(String(headers[":path"]))?.[1] ?? 1);
  stream.respond({ ":status": 200, "content-type": "application/connect+proto" });
  let left = count;
  const write = (): void => {
    while (left > 0) {
      const some = Math.min(left, BLOCK);
      left -= some;
      if (!stream.write(some === BLOCK ? block : block.subarray(0, some * delta.length)))
        return void stream.once("drain", write);
    }
    stream.end(Buffer.concat([ended, endFrame]));
  };
  write();
});
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on("message", () => process.send?.({ connections }));
process.on("disconnect", () => process.exit());
