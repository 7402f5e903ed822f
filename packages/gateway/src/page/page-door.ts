import { createHash } from "node:crypto";
import { CaretError } from "@caret/protocol";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";

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

/** Only our own scripts run, no framing, and no access from other origins. */
const PAGE_HEADERS = {
  "content-security-policy": policy,
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  vary: "accept-encoding",
};

/** The web page. Its files are public: the data comes through the native door. */
export function pageDoor({ paths, read }: Page): FastifyPluginAsync {
  let served: ReadonlyMap<string, ServedFile> | undefined;

  function send(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const [path = ""] = request.url.split("?", 1);
    served ??= new Map([...read()].map(([name, file]) => [name, { ...file, etag: etagOf(file) }]));
    const file = served.get(path);
    reply.headers(PAGE_HEADERS);
    if (file === undefined) throw new CaretError("not-found", "The page has no such file");
    return sendFile(file, request, reply);
  }

  return async (app) => {
    const config = { access: "public", doc: { summary: "A file of the web page" } } as const;
    for (const path of paths) if (!path.startsWith(ASSETS)) app.get(path, { config }, send);
    app.get(`${ASSETS}*`, { config }, send);
  };
}

function sendFile(file: ServedFile, request: FastifyRequest, reply: FastifyReply) {
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

/** One file of the page, with those compressed forms that are smaller. */
export interface PageFile {
  readonly bytes: Uint8Array;
  readonly br?: Uint8Array | undefined;
  readonly gzip?: Uint8Array | undefined;
  readonly mediaType: string;
  /** Its name changes with its content, so a browser never has to request it again. */
  readonly immutable: boolean;
}

/** The built page by path, `/` for the page itself. Everything in it is public. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** The page: its paths, and its files, which are read when a browser requests the first of them. */
export interface Page {
  readonly paths: readonly string[];
  read(): PageFiles;
}

interface ServedFile extends PageFile {
  readonly etag: string;
}

interface ChosenBody {
  readonly bytes: Uint8Array;
  /** Undefined for the uncompressed file. */
  readonly encoding: "br" | "gzip" | undefined;
}

/** The smallest form that the client accepts. A client that states nothing gets the uncompressed file. */
export function chooseEncoding({ bytes, br, gzip }: PageFile, accepted: string | undefined): ChosenBody {
  const weights = readWeights(accepted ?? "");
  const takes = (encoding: string): boolean => (weights.get(encoding) ?? weights.get("*") ?? 0) > 0;
  if (br !== undefined && takes("br")) return { bytes: br, encoding: "br" };
  if (gzip !== undefined && takes("gzip")) return { bytes: gzip, encoding: "gzip" };
  return { bytes, encoding: undefined };
}

/** `br;q=0` is a refusal, however odd. */
function readWeights(accepted: string): ReadonlyMap<string, number> {
  return new Map(
    accepted.split(",").map((part) => {
      const [name = "", ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
      return [name, Number(weight) || 0];
    }),
  );
}
