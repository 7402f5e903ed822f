import type { OfferedTool } from "./model.ts";
import { type Role, roleOf, schemaProperties } from "./schema-roles.ts";

/** What a tool can be good for, whoever wrote it. */
export type Capability =
  | "read"
  | "list"
  | "search"
  | "find"
  | "run"
  | "write"
  | "edit"
  | "patch"
  | "delete"
  | "fetch"
  | "web-search";

interface CapabilityTraits {
  /** Names that leave no doubt, in lower case without separators. */
  readonly names: readonly string[];
  /** Words that hint at it, in a name or a description. */
  readonly hints: RegExp;
  /** A tool without these arguments cannot do it, whatever its name says. */
  readonly needs: readonly Role[];
}

const capabilities: Readonly<Record<Capability, CapabilityTraits>> = {
  read: {
    names: ["read", "readfile", "view", "viewfile", "openfile", "cat", "getfilecontents", "fsread", "readtextfile"],
    hints: /^(?!.*\bimage).*\b(?:read|view|contents?)\b.*\bfile/i,
    needs: ["path"],
  },
  list: {
    names: ["list", "ls", "listdir", "listdirectory", "listfiles", "readdir", "readdirectory"],
    hints: /\blists?\b.*\b(?:files|director)/i,
    needs: [],
  },
  search: {
    names: ["grep", "search", "searchfiles", "grepsearch", "ripgrep", "searchfilecontent", "codesearch", "rg"],
    hints: /\b(?:search|grep)\b.*\b(?:content|text|regex|pattern)/i,
    needs: ["pattern"],
  },
  find: {
    names: ["glob", "find", "findfiles", "filesearch", "globsearch", "searchfilesbyname"],
    hints: /\b(?:glob|find)\b.*\bfile/i,
    needs: ["pattern"],
  },
  run: {
    names: [
      "bash",
      "shell",
      "exec",
      "execcommand",
      "executecommand",
      "runcommand",
      "runcommands",
      "runterminalcmd",
      "runterminalcommand",
      "terminal",
      "runshellcommand",
      "localshell",
      "shellcommand",
      "execute",
      "run",
    ],
    hints: /\b(?:run|execut\w+)\b.*\b(?:command|shell|terminal)/i,
    needs: ["command"],
  },
  write: {
    names: ["write", "writefile", "createfile", "savefile", "writetofile", "create", "writetextfile", "fswrite"],
    hints: /\b(?:write|create|save)\b.*\bfile/i,
    needs: ["path", "content"],
  },
  edit: {
    names: ["edit", "editfile", "strreplace", "replace", "replaceinfile", "searchreplace", "multiedit", "modifyfile"],
    hints: /\b(?:edit|replace|modify)\b.*\b(?:file|text|string)/i,
    needs: ["path", "oldText", "newText"],
  },
  patch: { names: ["applypatch"], hints: /\bapply\b.*\bpatch/i, needs: ["patch"] },
  delete: {
    names: ["delete", "deletefile", "remove", "removefile", "rm"],
    hints: /\b(?:delete|remove)\b.*\bfile/i,
    needs: ["path"],
  },
  fetch: {
    names: ["webfetch", "fetch", "fetchurl", "browse", "httpget", "readurl", "fetchwebpage"],
    hints: /\bfetch\b.*\b(?:url|web|page)/i,
    needs: ["url"],
  },
  "web-search": {
    names: ["websearch", "googlewebsearch", "searchweb"],
    hints: /\bsearch\w*\b.*\bweb\b/i,
    needs: ["pattern"],
  },
};

const NAME_SCORE = 100;
const ENDING_SCORE = 50;
const HINT_SCORE = 10;

/** The offered tool that can best do this, if any can. */
export function matchTool(capability: Capability, tools: readonly OfferedTool[]): OfferedTool | undefined {
  const scored = tools.map((tool) => ({ tool, score: scoreOf(tool, capabilities[capability]) }));
  const [best] = scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
  return best?.tool;
}

/** A tool that serves none of the known purposes; it is used when a prompt speaks of it. */
export function isPeculiar(tool: OfferedTool): boolean {
  return Object.values(capabilities).every((traits) => scoreOf(tool, traits) < NAME_SCORE);
}

function scoreOf(tool: OfferedTool, { names, hints, needs }: CapabilityTraits): number {
  const roles = new Set(schemaProperties(tool.inputSchema).flatMap((property) => rolesWithin(property)));
  if (needs.some((role) => !roles.has(role))) return 0;
  const name = tool.name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const exact = names.indexOf(name);
  if (exact >= 0) return 2 * NAME_SCORE - exact;
  if (names.some((known) => known.length > 3 && name.endsWith(known))) return ENDING_SCORE;
  const firstSentence = (tool.description ?? "").split(/(?<=\.)\s/)[0] ?? "";
  return hints.test(`${tool.name.replace(/[_-]/g, " ")} ${firstSentence}`) ? HINT_SCORE : 0;
}

/** An `edits` list holds its old and new texts one level down. */
function rolesWithin(property: ReturnType<typeof schemaProperties>[number]): readonly Role[] {
  const own = roleOf(property.name);
  const inner = property.items === undefined ? [] : schemaProperties(property.items).map(({ name }) => roleOf(name));
  return [own, ...inner].flat();
}
