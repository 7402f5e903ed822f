import { createHash } from "node:crypto";
import { CaretError } from "@caret/protocol";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { chooseEncoding } from "./choose-encoding.ts";
import type { PageFile, PageFiles } from "./page-files.ts";

const ASSETS = "/assets/";

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Only files of ours run, nobody shows us in a frame, and no other page gets hold of ours. */
const PAGE_HEADERS = {
  "content-security-policy": policy,
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  vary: "accept-encoding",
};

/** The web page. It is public, since it tells nothing: what it shows comes through the native door. */
export function pageDoor({ files }: { readonly files: PageFiles }): FastifyPluginAsync {
  const served = new Map([...files].map(([path, file]) => [path, { ...file, etag: etagOf(file) }]));

  function send(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const [path = ""] = request.url.split("?", 1);
    const file = served.get(path);
    reply.headers(PAGE_HEADERS);
    if (file === undefined) throw new CaretError("not-found", "The page has no such file");
    return sendFile(file, request, reply);
  }

  return async (app) => {
    const options = { config: { access: "public" } } as const;
    for (const path of files.keys()) if (!path.startsWith(ASSETS)) app.get(path, options, send);
    app.get(`${ASSETS}*`, options, send);
  };
}

function sendFile(file: PageFile & { readonly etag: string }, request: FastifyRequest, reply: FastifyReply) {
  const { bytes, encoding } = chooseEncoding(file, request.headers["accept-encoding"]);
  const etag = `"${file.etag}${encoding === undefined ? "" : `-${encoding}`}"`;
  reply.header("etag", etag);
  reply.header("cache-control", file.immutable ? "public, max-age=31536000, immutable" : "no-cache");
  if (matches(request.headers["if-none-match"], etag)) return reply.code(304).send();
  if (encoding !== undefined) reply.header("content-encoding", encoding);
  return reply.type(file.mediaType).send(bytes);
}

function matches(asked: string | undefined, etag: string): boolean {
  return (asked ?? "").split(",").some((known) => known.trim().replace(/^W\//, "") === etag);
}

function etagOf({ bytes }: PageFile): string {
  return createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
}
