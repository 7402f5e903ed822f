import type { KnownValues } from "./argument-filling.ts";
import type { Capability } from "./capability-traits.ts";
import type { Intent, ModelCall, OfferedTool } from "./model.ts";
import { matchTool } from "./tool-matching.ts";

export interface OfferedContext {
  readonly tools: readonly OfferedTool[];
  readonly workingDirectory: string | undefined;
}

interface Approach {
  readonly capability: Capability;
  readonly known: KnownValues;
}

/** A call of whichever offered tool can do it: the obvious one, else a shell command that comes to the same. */
export function offeredCall(intent: Intent, content: string, context: OfferedContext): ModelCall | undefined {
  for (const { capability, known } of approaches(intent, content)) {
    const purpose = purposeOf(intent);
    const options = { workingDirectory: context.workingDirectory, purpose };
    const match = matchTool(capability, context.tools, { note: purpose, ...known }, options);
    if (match !== undefined) return { server: match.tool.server, name: match.tool.name, args: match.args };
  }
  return undefined;
}

function approaches(intent: Intent, content: string): readonly Approach[] {
  const run = (command: string): Approach => ({ capability: "run", known: { command } });
  switch (intent.kind) {
    case "read":
      return [{ capability: "read", known: { path: intent.path } }, run(`cat ${quote(intent.path)}`)];
    case "list":
      return [
        { capability: "list", known: { directory: intent.path } },
        run(`ls ${quote(intent.path)}`),
        { capability: "find", known: { pattern: "*", directory: intent.path } },
      ];
    case "search":
      return [
        { capability: "search", known: { pattern: intent.pattern, ...searchPath(intent.path) } },
        run(`grep -rn ${quote(intent.pattern)} ${quote(intent.path)}`),
      ];
    case "find":
      return [{ capability: "find", known: { pattern: intent.glob } }, run(`find . -name ${quote(intent.glob)}`)];
    case "run":
      return [run(intent.command)];
    case "write":
      return [
        { capability: "write", known: { path: intent.path, content } },
        { capability: "patch", known: { patch: addFilePatch(intent.path, content) } },
        run(`printf '%s' ${quote(content)} > ${quote(intent.path)}`),
      ];
    case "edit":
      return [
        { capability: "edit", known: { path: intent.path, oldText: intent.oldText, newText: intent.newText } },
        run(`sed -i ${quote(`s/${sed(intent.oldText)}/${sed(intent.newText)}/`)} ${quote(intent.path)}`),
      ];
    case "delete":
      return [{ capability: "delete", known: { path: intent.path } }, run(`rm -- ${quote(intent.path)}`)];
    case "fetch":
      return [{ capability: "fetch", known: { url: intent.url } }];
    case "web-search":
      return [{ capability: "web-search", known: { pattern: intent.query } }];
    default:
      return [];
  }
}

/** A search in one file may go to a tool that takes files only. */
function searchPath(path: string): KnownValues {
  return path === "." ? { directory: path } : { directory: path, path };
}

function purposeOf(intent: Intent): string {
  switch (intent.kind) {
    case "run":
      return `Run ${intent.command.slice(0, 60)}`;
    case "read":
    case "write":
    case "edit":
    case "delete":
    case "list":
      return `${intent.kind.charAt(0).toUpperCase()}${intent.kind.slice(1)} ${intent.path}`;
    case "search":
      return `Search for ${intent.pattern}`;
    case "find":
      return `Find ${intent.glob}`;
    case "fetch":
      return `Fetch ${intent.url}`;
    case "web-search":
      return `Search the web for ${intent.query}`;
    default:
      return "Do what was asked for";
  }
}

function addFilePatch(path: string, content: string): string {
  const lines = content.replace(/\n$/, "").split("\n");
  return ["*** Begin Patch", `*** Add File: ${path}`, ...lines.map((line) => `+${line}`), "*** End Patch"].join("\n");
}

function quote(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function sed(text: string): string {
  return text.replace(/[\\/&.*[\]^$]/g, "\\$&");
}
