import type { Excerpt } from "@caret/protocol";
import { physicalPath, type SaidPlace } from "@caret/runtime";
import { absolutePath } from "../../config/config-paths.ts";
import type { ExitCode } from "../../host/host.ts";
import { findSession } from "../../store/find-session.ts";
import type { LogWork } from "../../store/log-work.ts";
import { ageText } from "../../terminal/amount-text.ts";
import { hostLook, type Look } from "../../terminal/look.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { cleanLine } from "../../terminal/text-cleaner.ts";

const SHORT_ID = 8;

export interface SearchOptions {
  readonly session?: string;
  readonly workspace?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** A multi-word argument was quoted in the shell: search it as a phrase. */
function toQuery(words: readonly string[]): string {
  return words.map((word) => (/\s/.test(word) && !word.includes('"') ? `"${word}"` : word)).join(" ");
}

export async function searchSessions(
  { host, store }: LogWork,
  words: readonly string[],
  { session, workspace, limit, json }: SearchOptions,
): Promise<ExitCode> {
  const sessionId = session === undefined ? undefined : (await findSession(store, session)).id;
  // A running gateway indexes continuously, but none may be running.
  await store.catchUpSearch(sessionId === undefined ? {} : { sessionId });
  const { places } = await store.search({
    text: toQuery(words),
    limit,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(workspace === undefined
      ? {}
      : { workspace: physicalPath(absolutePath(workspace, { ...host, base: host.cwd })) }),
  });
  const titled = await Promise.all(
    places.map(async (place) => ({ ...place, title: (await store.getSession(place.sessionId))?.title ?? "" })),
  );
  if (json === true) return await printJson(host, titled);
  if (titled.length === 0) return await printLines(host, ["Nothing was said with these words."]);
  const look = hostLook(host);
  return await printLines(
    host,
    titled.flatMap((place) => placeLines(place, look)),
  );
}

function placeLines(place: SaidPlace & { readonly title: string }, { style, glyphs }: Look): readonly string[] {
  const { sessionId, title, kind, at, excerpt } = place;
  const head = [sessionId.slice(0, SHORT_ID), ageText(at, Date.now()), kind, cleanLine(title)]
    .filter(Boolean)
    .join(` ${glyphs.separator} `);
  return [style.dim(head), `  ${marked(excerpt, style.bold)}`];
}

function marked({ text, marks }: Excerpt, bold: (text: string) => string): string {
  let shown = "";
  let at = 0;
  for (const [from, to] of marks) {
    shown += cleanLine(text.slice(at, from)) + bold(cleanLine(text.slice(from, to)));
    at = to;
  }
  return shown + cleanLine(text.slice(at));
}
