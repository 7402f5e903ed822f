import type { Readable, Writable } from "node:stream";
import { CaretError } from "@caret/protocol";
import { ConnectError } from "@connectrpc/connect";
import { z } from "zod";
import { createOutgoing, type Outgoing } from "../transport/outgoing.ts";
import { createUpstreamLinks, type UpstreamLinks } from "../transport/upstream-link.ts";
import { type BridgeFrame, createFrameSplitter, type FrameKind, toFrame, toJsonFrame } from "./bridge-frame.ts";

/** How far a response is read ahead of the host. */
const AHEAD_BYTES = 1024 * 1024;

const version = z.enum(["2", "1.1"]);
const setupSchema = z.object({ ca: z.array(z.string()).optional() });
const probeSchema = z.object({ url: z.url(), version: version.optional() });
const openSchema = z.object({
  url: z.url(),
  version,
  method: z.string(),
  header: z.array(z.tuple([z.string(), z.string()])),
});

interface OpenRequest {
  readonly body: Outgoing;
  readonly controller: AbortController;
  aheadBytes: number;
  wake: () => void;
}

/** Makes the requests of a host whose own HTTP/2 is not reliable. Resolves when the host has closed its end and everything is sent. */
export async function serveBridge(input: Readable, output: Writable): Promise<void> {
  const split = createFrameSplitter();
  const requests = new Map<number, OpenRequest>();
  let links: UpstreamLinks = createUpstreamLinks({ ca: undefined });

  const say = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      if (output.writableEnded || output.destroyed || output.write(bytes)) resolve();
      else output.once("drain", resolve).once("close", resolve);
    });

  const fail = (request: number, reason: unknown): void => {
    const failure = CaretError.is(reason) ? reason.toInfo() : { connect: ConnectError.from(reason).rawMessage };
    void say(toJsonFrame("failed", request, failure));
  };

  const answer = async (id: number, payload: Uint8Array): Promise<void> => {
    const { url, version: wanted, method, header } = openSchema.parse(JSON.parse(textOf(payload)));
    const request: OpenRequest = {
      body: createOutgoing(() => performance.now()),
      controller: new AbortController(),
      aheadBytes: 0,
      wake: () => undefined,
    };
    requests.set(id, request);
    try {
      const link = await links.open(new URL(new URL(url).origin), wanted);
      const { signal } = request.controller;
      const response = await link.request({ url, method, header: new Headers(header), body: request.body, signal });
      await say(toJsonFrame("head", id, { status: response.status, header: [...response.header] }));
      for await (const chunk of response.body) {
        request.aheadBytes += chunk.length;
        await say(toFrame("data", id, chunk));
        while (request.aheadBytes > AHEAD_BYTES && !signal.aborted)
          await new Promise<void>((resolve) => {
            request.wake = resolve;
          });
      }
      await say(toFrame("end", id));
    } catch (reason) {
      fail(id, reason);
    } finally {
      requests.delete(id);
    }
  };

  const probe = async (id: number, payload: Uint8Array): Promise<void> => {
    try {
      const { url, version: wanted } = probeSchema.parse(JSON.parse(textOf(payload)));
      const link = await links.open(new URL(url), wanted);
      await say(toJsonFrame("probed", id, { version: link.version }));
    } catch (reason) {
      fail(id, reason);
    }
  };

  const handlers: Partial<Record<FrameKind, (frame: BridgeFrame) => void>> = {
    setup({ payload }) {
      links = createUpstreamLinks({ ca: setupSchema.parse(JSON.parse(textOf(payload))).ca });
    },
    probe: ({ request, payload }) => void probe(request, payload),
    open: ({ request, payload }) => void answer(request, payload).catch((reason: unknown) => fail(request, reason)),
    data: ({ request, payload }) => requests.get(request)?.body.send(payload),
    end: ({ request }) => requests.get(request)?.body.close(),
    cancel({ request }) {
      requests.get(request)?.controller.abort();
      requests.get(request)?.wake();
    },
    taken({ request, payload }) {
      const open = requests.get(request);
      if (open === undefined) return;
      open.aheadBytes -= Number(textOf(payload));
      open.wake();
    },
  };

  for await (const chunk of input) for (const frame of split(chunk)) handlers[frame.kind]?.(frame);
  for (const { controller, wake } of requests.values()) {
    controller.abort();
    wake();
  }
  links.close();
  await new Promise<void>((resolve) => output.end(resolve));
}

function textOf(payload: Uint8Array): string {
  return Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString("utf8");
}
