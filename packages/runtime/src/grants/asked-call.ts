import { posix } from "node:path";
import { isJsonObject } from "../framing/frame.ts";
import { canonicalJson } from "../guard/canonical-json.ts";
import type { PolicyCall } from "../policy/policy-parts.ts";

/** Arguments that change nothing about what is done. */
const besidesThePoint: ReadonlySet<string> = new Set(["description", "timeoutMs"]);

/** The directory a command runs in, from the workspace; undefined when that cannot be told. */
export function directoryOf({ input }: PolicyCall): string | undefined {
  const cwd = isJsonObject(input) ? input["cwd"] : undefined;
  if (cwd === undefined) return ".";
  return typeof cwd === "string" && !posix.isAbsolute(cwd) ? posix.normalize(cwd) : undefined;
}

/** Everything that makes two calls of a tool the same. */
export function identityOf({ kind, input }: PolicyCall): string {
  if (kind !== "shell" || !isJsonObject(input)) return canonicalJson(input);
  return canonicalJson(Object.fromEntries(Object.entries(input).filter(([name]) => !besidesThePoint.has(name))));
}

/** The server that a call would fetch from. */
export function originOf({ kind, input }: PolicyCall): string | undefined {
  const url = kind === "fetch" && isJsonObject(input) ? input["url"] : undefined;
  const address = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  const isPlain = address !== undefined && /^https?:$/.test(address.protocol) && address.username === "";
  return isPlain ? address.origin : undefined;
}
