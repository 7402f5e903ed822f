import { CaretError, type ChangedFile } from "@caret/protocol";
import { type McpServer, type ReadResourceResult, ResourceTemplate } from "@modelcontextprotocol/server";
import type { DispatchClient } from "./dispatch-client.ts";
import { sessionUris } from "./turn-report.ts";

const LISTED = 20;

/** What sessions have said and changed, as resources for the host. */
export function addSessionResources(server: McpServer, client: DispatchClient): void {
  add("transcript", "text/markdown", "What was said and done in a session", async (id) =>
    (await client.exportSession(id, "markdown")).content.text(),
  );
  add("diff", "text/x-diff", "Uncommitted changes in a session's workspace", async (id) => {
    const { isRepository, files, omitted } = await client.changes(id);
    if (!isRepository) return "The workspace is no git repository: there is nothing to compare it with.\n";
    return [...files.map(toDiff), ...(omitted === 0 ? [] : [`${omitted} more files have changed.\n`])].join("");
  });

  function add(kind: "transcript" | "diff", mimeType: string, description: string, read: Read): void {
    const list = async () => {
      const { sessions } = await client.listSessions({ limit: LISTED });
      const resources = sessions.map(({ id, title }) => ({
        uri: sessionUris(id)[kind],
        name: `${kind}: ${title === "" ? id : title}`,
        mimeType,
      }));
      return { resources };
    };
    const template = new ResourceTemplate(`caret://sessions/{session}/${kind}`, { list });
    const answer = async (uri: URL, { session }: Readonly<Record<string, string | string[]>>) =>
      await readAs(uri, mimeType, () => read(String(session)));
    server.registerResource(`session-${kind}`, template, { description, mimeType }, answer);
  }
}

type Read = (sessionId: string) => Promise<string>;

/** The protocol has no error results for resources, so the message says what to do. */
async function readAs(uri: URL, mimeType: string, read: () => Promise<string>): Promise<ReadResourceResult> {
  try {
    return { contents: [{ uri: uri.href, mimeType, text: await read() }] };
  } catch (reason) {
    const { message, fix } = CaretError.from(reason);
    throw new Error(`${message}. ${fix}`, { cause: reason });
  }
}

function toDiff({ path, status, unified }: ChangedFile): string {
  return unified === undefined ? `${status}: ${path} (too large to show, or binary)\n` : `${unified.trimEnd()}\n`;
}
