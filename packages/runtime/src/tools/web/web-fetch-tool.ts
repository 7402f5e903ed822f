import { CaretError } from "@caret/protocol";
import { startWorkerThread } from "../../async/worker-thread.ts";
import { defineTool, type Tool } from "../tool.ts";
import type { OutboundFetch, OutboundResponse } from "./outbound-fetch.ts";
import type { ReadablePage } from "./readable-page.ts";

const TIME_LIMIT_MS = 60_000;
const textTypes = /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|xml|javascript|ecmascript|yaml|toml))/i;
const htmlTypes = /^(?:text\/html|application\/xhtml\+xml)/i;

const REST_LEFT_OUT = "[The rest was left out: it is too long.]";

const entry = new URL(`./page-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

export function createWebFetchTool({ fetch }: { readonly fetch: OutboundFetch }): Tool {
  return defineTool<{ readonly url: string }>({
    name: "web_fetch",
    aliases: ["mcp_web_fetch"],
    description: "Fetch a public web page as readable markdown, or a public text file as it is.",
    kind: "fetch",
    timeLimitMs: TIME_LIMIT_MS,
    inputSchema: {
      type: "object",
      properties: { url: { type: "string", minLength: 1, maxLength: 8_000 } },
      required: ["url"],
      additionalProperties: false,
    },
    async run({ url }, { signal, exact }) {
      const response = await fetch({ url, signal });
      const page = await toPage(response, signal);
      const { status, contentType } = response;
      const text = inWords(response.url, page);
      if (status < 400) {
        const { text: content, isCut } = page;
        const data = { kind: "page", text: content, isCut, status, contentType } as const;
        return exact === undefined ? { output: text } : { output: text, data };
      }
      const failure = response.status === 404 || response.status === 410 ? "not_found" : "tool_error";
      return { output: `The server answered with status ${response.status}.\n\n${text}`, failure };
    },
  });
}

interface Page {
  readonly title: string;
  readonly text: string;
  readonly isCut: boolean;
}

async function toPage(response: OutboundResponse, signal: AbortSignal): Promise<Page> {
  const { url, contentType, bytes, isCut } = response;
  const type = contentType || "text/plain";
  if (!textTypes.test(type) && !htmlTypes.test(type))
    throw new CaretError("unsupported", `${url.href} is ${type}, not text (${bytes.length} bytes)`);
  const content = decodeText(bytes, type);
  if (!htmlTypes.test(type)) return { title: "", text: content, isCut };
  const page = await readablePage(content, url, signal);
  return { title: page.title, text: page.markdown, isCut: isCut || page.isCut };
}

async function readablePage(html: string, url: URL, signal: AbortSignal): Promise<ReadablePage> {
  const thread = startWorkerThread<{ html: string; url: string }, ReadablePage>(entry, signal);
  try {
    return await thread.ask({ html, url: url.href });
  } finally {
    await thread.close();
  }
}

function inWords(url: URL, { title, text, isCut }: Page): string {
  const heading = title === "" ? [] : [`# ${title}`];
  const end = isCut ? [REST_LEFT_OUT] : [];
  return [...heading, `Source: ${url.href}`, text || "[There is no text.]", ...end].join("\n\n");
}

/** Charset from the header, else from the page, else UTF-8. Unknown names are ignored. */
function decodeText(bytes: Buffer, contentType: string): string {
  const declared = /charset\s*=\s*["']?([\w-]+)/i;
  const label = declared.exec(contentType)?.[1] ?? declared.exec(bytes.toString("latin1", 0, 1024))?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return bytes.toString("utf8");
  }
}
