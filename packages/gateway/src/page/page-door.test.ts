import { createHash } from "node:crypto";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { saying, scriptedConversations, telling } from "../chat/testing/scripted-conversations.ts";
import { exchange, type StartedServer, startServer, statusOf } from "../server/testing/start-server.ts";
import { chooseEncoding, type PageFile, type PageFiles } from "./page-door.ts";

const html = `<!doctype html>${"<p>Caret</p>".repeat(100)}`;
const script = "console.log(1);".repeat(100);

function fileOf(text: string, mediaType: string, immutable: boolean): PageFile {
  const bytes = Buffer.from(text);
  return { bytes, br: brotliCompressSync(bytes), gzip: gzipSync(bytes), mediaType, immutable };
}

const page: PageFiles = new Map([
  ["/", fileOf(html, "text/html; charset=utf-8", false)],
  ["/assets/main-a1b2.js", fileOf(script, "text/javascript; charset=utf-8", true)],
  ["/icon.png", { bytes: Buffer.from([1, 2, 3]), mediaType: "image/png", immutable: false }],
]);

let server: StartedServer;

beforeEach(async () => {
  server = await startServer(scriptedConversations(telling(...saying("ready"))), { page });
});
afterEach(() => server.app.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${server.url}${path}`, { headers });

describe("the page", () => {
  it.each([
    ["/", "text/html; charset=utf-8", html, "no-cache"],
    ["/?utm=1", "text/html; charset=utf-8", html, "no-cache"],
    ["/assets/main-a1b2.js", "text/javascript; charset=utf-8", script, "public, max-age=31536000, immutable"],
    ["/icon.png", "image/png", "\u0001\u0002\u0003", "no-cache"],
  ])("is public at %s, to be kept as long as it is good", async (path, mediaType, text, kept) => {
    const response = await get(path);
    expect([
      response.status,
      response.headers.get("content-type"),
      await response.text(),
      response.headers.get("cache-control"),
    ]).toEqual([200, mediaType, text, kept]);
  });

  it.each(["/", "/assets/main-a1b2.js", "/icon.png", "/assets/gone.js"])(
    "may run nothing but its own files, be framed by nobody and be read by no other site (%s)",
    async (path) => {
      const { headers } = await get(path);
      const names = [
        "content-security-policy",
        "x-frame-options",
        "cross-origin-opener-policy",
        "cross-origin-resource-policy",
        "x-content-type-options",
        "referrer-policy",
        "permissions-policy",
      ];
      expect(names.map((name) => headers.get(name))).toEqual([
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
          "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; " +
          "frame-ancestors 'none'",
        "DENY",
        "same-origin",
        "same-origin",
        "nosniff",
        "no-referrer",
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
      ]);
    },
  );

  it("is not sent again to a browser that has it", async () => {
    const etag = (await get("/")).headers.get("etag") ?? "";
    const [same, other] = [
      await get("/", { "if-none-match": `"x", W/${etag}` }),
      await get("/", { "if-none-match": '"x"' }),
    ];
    expect({
      isEtagLong: etag.length > 10,
      status: same.status,
      text: await same.text(),
      etag: same.headers.get("etag"),
      otherStatus: other.status,
    }).toEqual({ isEtagLong: true, status: 304, text: "", etag, otherStatus: 200 });
  });

  it("still says that something is here", async () => {
    const response = await fetch(`${server.url}/`, { method: "HEAD" });
    expect(response.status).toBe(200);
  });

  it.each(["/assets/gone.js", "/assets/../index.html", "/assets/%2e%2e/icon.png", "/assets/", "/index.html"])(
    "has nothing at %s",
    async (path) => {
      const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer boss\r\n\r\n`;
      expect(statusOf(await exchange(server.port, request))).toBe(404);
    },
  );

  it.each([
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["*", "br"],
    ["identity", null],
    ["", null],
  ])("comes to a browser that takes %j as %s", async (accepted, encoding) => {
    const { headers, ...response } = await fetchRaw("/", accepted);
    expect([headers.get("content-encoding") ?? null, headers.get("vary"), response.digest]).toEqual([
      encoding,
      "accept-encoding",
      digest(html),
    ]);
  });
});

/** `fetch` decompresses, so the text is the same for every encoding. */
async function fetchRaw(path: string, accepted: string) {
  const response = await get(path, { "accept-encoding": accepted });
  return { headers: response.headers, digest: digest(await response.text()) };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

it("sends a file as it is where compressing it would not help", () => {
  const bytes = Buffer.from("a");
  const file = { bytes, mediaType: "image/png", immutable: false };
  expect(chooseEncoding(file, "gzip, br")).toEqual({ bytes, encoding: undefined });
});
