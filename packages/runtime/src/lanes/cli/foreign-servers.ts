import { readFileSync, realpathSync } from "node:fs";
import { isJsonObject, parseJson } from "@caret/protocol";

/** The user's own files that name MCP servers for every agent, and those of their servers that an agent would start. */
export interface ForeignServers {
  /** Real paths of the files that exist. */
  readonly files: readonly string[];
  readonly names: readonly string[];
}

/** Looks through files that the agent reads by itself, whatever workspace it is started in. */
export function findForeignServers(candidates: readonly string[]): ForeignServers {
  const files = new Set<string>();
  const names = new Set<string>();
  for (const candidate of candidates) {
    const file = realFile(candidate);
    if (file === undefined) continue;
    files.add(file);
    const servers = parse(readFileSync(file, "utf8"))?.["mcpServers"];
    if (isJsonObject(servers)) for (const name of Object.keys(servers)) names.add(name);
  }
  return { files: [...files], names: [...names] };
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
    .replaceAll(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, "$1")
    .replaceAll(/,(\s*[}\]])/g, "$1");
  // What we cannot read as JSON, the agent cannot either: it starts no server of it.
  const value = parseJson(plain);
  return isJsonObject(value) ? value : undefined;
}
