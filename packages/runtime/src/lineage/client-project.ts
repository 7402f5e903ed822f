import type { Transcript } from "./transcript.ts";

const PATH = String.raw`((?:\/|~\/|[A-Za-z]:[\\/])[^\n\r"'<>|*?]{0,500})`;

/** How clients tell the model which directory they work in. */
const tells: readonly RegExp[] = [
  new RegExp(String.raw`<cwd>\s*${PATH}<\/cwd>`, "i"),
  /\bworking directory \(((?:\/|[A-Za-z]:[\\/])[^)\n]{0,500})\)/i,
  new RegExp(String.raw`\bworking directory(?: is)?:?[ \t]*["'${"`"}]?${PATH}`, "i"),
  new RegExp(String.raw`\bworking in the directory:?[ \t]*["'${"`"}]?${PATH}`, "i"),
  new RegExp(
    String.raw`\b(?:current directory|workspace root(?: folder)?|project (?:root|directory)|cwd):[ \t]*["'${"`"}]?${PATH}`,
    "i",
  ),
  new RegExp(String.raw`^%[ \t]*pwd\n${PATH}`, "im"),
  /\brepo=((?:\/|[A-Za-z]:[\\/])[^\s|]{0,500})/,
];

/** Clients tell it at the beginning, if at all. */
const READ_MESSAGES = 4;
const READ_CHARACTERS = 200_000;

/**
 * The directory on the client's machine that the client says it works in. It is only to be shown and compared: it may be a
 * path of another machine, or anything that a client chose to write.
 */
export function clientProject({ system, messages }: Transcript): string | undefined {
  const first = messages.slice(0, READ_MESSAGES).flatMap((message) => {
    if (message.role !== "user") return [];
    return message.parts.flatMap((part) => (part.kind === "text" ? [part.text.slice(0, READ_CHARACTERS)] : []));
  });
  for (const text of [system.slice(0, READ_CHARACTERS), ...first])
    for (const pattern of tells) {
      const path = toPath(pattern.exec(text)?.[1]);
      if (path !== undefined) return path;
    }
  return undefined;
}

function toPath(told: string | undefined): string | undefined {
  const path = told?.replace(/[\s`).,;]+$/, "");
  return path === undefined || path === "" || path === "~/" ? undefined : path;
}
