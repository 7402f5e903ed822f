import { readFileSync, realpathSync } from "node:fs";
import { isJsonObject, parseJson } from "@caret/protocol";

/** The user's own files that name MCP servers for every agent, and those of their servers that an agent would start. */
export interface ForeignServers {
  /** Real paths of the files that exist. */
  readonly files: readonly string[];
  readonly names: readonly string[];
  /** As the files have them, by their names. Of two of one name the first counts. */
  readonly servers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Looks through files that the agent reads by itself, whatever workspace it is started in. */
export function findForeignServers(candidates: readonly string[]): ForeignServers {
  const files = new Set<string>();
  const names = new Set<string>();
  const servers = new Map<string, Readonly<Record<string, unknown>>>();
  for (const candidate of candidates) {
    const file = realFile(candidate);
    if (file === undefined) continue;
    files.add(file);
    const named = parse(readFileSync(file, "utf8"))?.["mcpServers"];
    for (const [name, server] of Object.entries(isJsonObject(named) ? named : {})) {
      names.add(name);
      if (isJsonObject(server) && !servers.has(name)) servers.set(name, server);
    }
  }
  return { files: [...files], names: [...names], servers: Object.fromEntries(servers) };
}

function realFile(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // the user has no such file
  }
}

/** People write comments and last commas into such files, and agents read them all the same. */
function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  const plain = text
    .replace(/^\uFEFF/, "")
    // What is never closed is taken to the end of the text: otherwise each quote and each `/*` behind it would be tried, too.
    .replaceAll(/("(?:[^"\\]|\\.)*"?)|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(\/\*[\s\S]*)/g, "$1$2")
    .replaceAll(/,(\s*[}\]])/g, "$1");
  // What we cannot read as JSON, the agent cannot either: it starts no server of it.
  const value = parseJson(plain);
  return isJsonObject(value) ? value : undefined;
}
