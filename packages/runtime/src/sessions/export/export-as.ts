import { assertNever, type ExportFormat, oneLine, type SessionExport, toSeedEvent } from "@caret/protocol";
import type { EventStore, SessionRecord } from "../../log/event-store.ts";
import { readAll } from "../../log/read-turns.ts";
import { exportSession } from "../../log/transfer/export-session.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { htmlFormat } from "./html-format.ts";
import { type DocumentFormat, sessionDocument } from "./session-document.ts";

/** What the agent wrote is Markdown already and stays as it is; all else is quoted or fenced. */
const markdownFormat: DocumentFormat = {
  head: ({ title, facts }) => `# ${oneLine(title)}\n\n${facts.map((fact) => `- ${oneLine(fact)}\n`).join("")}\n`,
  block(block) {
    switch (block.kind) {
      case "prompt":
        return `## Prompt\n\n${quote(block.text)}\n\n`;
      case "text":
        return `${block.text.trim()}\n\n`;
      case "note":
        return `*${escaped(oneLine(block.text))}*\n\n`;
      case "details":
        return `**${escaped(oneLine(block.title))}**\n\n${fenced(block.text)}\n\n`;
      default:
        return assertNever(block);
    }
  },
  end: () => "",
};

const kinds: Readonly<Record<ExportFormat, { readonly ending: string; readonly mediaType: string }>> = {
  ndjson: { ending: "ndjson", mediaType: "application/x-ndjson" },
  seed: { ending: "seed.ndjson", mediaType: "application/x-ndjson" },
  markdown: { ending: "md", mediaType: "text/markdown; charset=utf-8" },
  html: { ending: "html", mediaType: "text/html; charset=utf-8" },
};

export function exportAs(
  store: EventStore,
  session: SessionRecord,
  format: ExportFormat,
  redactor: Redactor,
): SessionExport {
  const { ending, mediaType } = kinds[format];
  return {
    fileName: `${fileNameOf(session)}.${ending}`,
    mediaType,
    chunks: chunksOf(store, session, format, redactor),
  };
}

function chunksOf(
  store: EventStore,
  session: SessionRecord,
  format: ExportFormat,
  redactor: Redactor,
): AsyncIterable<string> {
  switch (format) {
    case "ndjson":
      return exportSession(store, session.id, { redactor });
    case "seed":
      return seedLines(store, session.id, redactor);
    case "markdown":
      return sessionDocument(store, session, { format: markdownFormat, redactor });
    case "html":
      return sessionDocument(store, session, { format: htmlFormat, redactor });
    default:
      return assertNever(format);
  }
}

async function* seedLines(store: EventStore, id: string, redactor: Redactor): AsyncGenerator<string, void, undefined> {
  for await (const { raw, ...stored } of readAll(store, id)) {
    const event = redactor.redactEvent(stored.event);
    const envelope = { ...stored, event, ...(raw === undefined ? {} : { raw: redactor.redactText(raw) }) };
    yield `${JSON.stringify(toSeedEvent(envelope))}\n`;
  }
}

/** Letters, digits and dashes alone: it goes into a header and onto any disk. */
function fileNameOf({ id, title = "" }: SessionRecord): string {
  const words = title
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[^a-z0-9]+/g, "-");
  const name = `${words.slice(0, 40)}-${id.replaceAll(/[^\w-]/g, "").slice(0, 8)}`.replaceAll(/-+/g, "-");
  return `session-${name}`.replaceAll(/-+/g, "-").replace(/-$/, "");
}

function quote(text: string): string {
  return text
    .trim()
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

/** With more backticks than the text has in a row. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text.trimEnd()}\n${fence}`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>]/g, "\\$&");
}
