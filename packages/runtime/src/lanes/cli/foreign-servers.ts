import { readFileSync, realpathSync } from "node:fs";
import { isJsonObject, parseJson } from "@caret/protocol";

/** The user's own files that name MCP servers for every agent, and those of their servers that an agent would start. */
export interface ForeignServers {
  /** Real paths of the existing files. */
  readonly files: readonly string[];
  readonly names: readonly string[];
  /** Server definitions by name, as in the files. If a name occurs twice, the first counts. */
  readonly servers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Reads the files that the agent loads by itself in any workspace. */
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

/** People write comments and trailing commas into such files, and agents accept them. */
function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  const plain = text
    .replace(/^\uFEFF/, "")
    // An unclosed comment extends to the end of the text: otherwise each later quote and `/*` would be tried as well.
    .replaceAll(/("(?:[^"\\]|\\.)*"?)|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(\/\*[\s\S]*)/g, "$1$2")
    .replaceAll(/,(\s*[}\]])/g, "$1");
  // If we cannot read it as JSON, neither can the agent: it starts no server from it.
  const value = parseJson(plain);
  return isJsonObject(value) ? value : undefined;
}
