import type { Role } from "./schema-roles.ts";

/** What a tool can be good for. */
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

export interface CapabilityTraits {
  /** Names that leave no doubt, in lower case without separators, the plainest first. */
  readonly names: readonly string[];
  /** Words for doing it, as they stand in names and, with an ending, in descriptions. */
  readonly verbs: string;
  /** Words for what it is done to. */
  readonly objects: RegExp;
  /** A tool whose name or first sentence says this does something else. */
  readonly never?: RegExp;
  /** A tool without these arguments cannot do it, whatever its name says. */
  readonly needs: readonly Role[];
  /** The arguments suffice where neither name nor description has a verb for it. */
  readonly isDecidedBySchema: boolean;
}

const onTheWeb = /\b(?:web|internet|online|urls?|https?|google)\b/i;

export const capabilities: Readonly<Record<Capability, CapabilityTraits>> = {
  read: {
    names: ["read", "readfile", "view", "viewfile", "openfile", "cat", "getfilecontents", "fsread", "readtextfile"],
    verbs:
      "read view open cat slurp load get show fetch display return retrieve grab dump print peek inspect see pull obtain " +
      "give provide look examine access extract ingest contents",
    objects: /\b(?:files?|contents?|texts?|documents?|blobs?|source|disk|fs|workspace|lines|path)\b/i,
    never:
      /\b(?:images?|pictures?|screenshots?|audio|video|urls?|https?|web|metadata|editor|clipboard|outline|symbols?)\b/i,
    needs: ["path"],
    isDecidedBySchema: false,
  },
  list: {
    names: ["list", "ls", "listdir", "listdirectory", "listfiles", "readdir", "readdirectory"],
    verbs: "list ls enumerate tree dir browse show get return contents",
    objects: /\b(?:directory|directories|folders?|dir|entries)\b/i,
    needs: [],
    isDecidedBySchema: false,
  },
  search: {
    names: ["grep", "search", "searchfiles", "grepsearch", "ripgrep", "searchfilecontent", "codesearch", "rg"],
    verbs: "search grep find look lookup locate scan match query hunt seek rg",
    objects: /\b(?:contents?|texts?|regex\w*|patterns?|strings?|words?|occurrences?|lines|matches|needle|code)\b/i,
    never: onTheWeb,
    needs: ["pattern"],
    isDecidedBySchema: true,
  },
  find: {
    names: ["glob", "find", "findfiles", "filesearch", "globsearch", "searchfilesbyname"],
    verbs: "glob find locate match search list enumerate",
    objects: /\b(?:globs?|file ?names?|by name|wildcards?|masks?|paths?|files)\b/i,
    never: onTheWeb,
    needs: ["pattern"],
    isDecidedBySchema: true,
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
    verbs: "run execute exec launch spawn invoke perform start do shell bash terminal",
    objects: /\b(?:commands?|shell|terminal|bash|process|programs?|scripts?|cmd|console|powershell|zsh)\b/i,
    needs: ["command"],
    isDecidedBySchema: true,
  },
  write: {
    names: ["write", "writefile", "createfile", "savefile", "writetofile", "create", "writetextfile", "fswrite"],
    verbs: "write create save persist store put make overwrite emit spit set record",
    objects: /\b(?:files?|disk|documents?|contents?|texts?|fs)\b/i,
    // Cline's teams have outcomes, with a title and sections, that are drafted and not written anywhere.
    never: /\b(?:web|internet|online|urls?|https?|google|teams?|outcomes?)\b/i,
    needs: ["path", "content"],
    isDecidedBySchema: true,
  },
  edit: {
    names: ["edit", "editfile", "strreplace", "replace", "replaceinfile", "searchreplace", "multiedit", "modifyfile"],
    verbs: "edit replace modify change substitute swap update alter tweak exchange revise amend",
    objects: /\b(?:files?|texts?|strings?|contents?|occurrences?|passages?)\b/i,
    needs: ["path", "oldText", "newText"],
    isDecidedBySchema: true,
  },
  patch: {
    names: ["applypatch"],
    verbs: "apply patch",
    objects: /\bpatch(?:es)?\b/i,
    needs: ["patch"],
    isDecidedBySchema: false,
  },
  delete: {
    names: ["delete", "deletefile", "remove", "removefile", "rm"],
    verbs: "delete remove rm unlink erase trash destroy discard",
    objects: /\b(?:files?|paths?|documents?|fs|disk)\b/i,
    never: /\b(?:lines?|entries|memory|memories|branch|worktree|background)\b/i,
    needs: ["path"],
    isDecidedBySchema: false,
  },
  fetch: {
    names: ["webfetch", "fetch", "fetchurl", "browse", "httpget", "readurl", "fetchwebpage"],
    verbs: "fetch download get request browse visit open load retrieve read grab http curl",
    objects: /\b(?:urls?|web|pages?|https?|sites?|internet|websites?)\b/i,
    needs: ["url"],
    isDecidedBySchema: false,
  },
  "web-search": {
    names: ["websearch", "googlewebsearch", "searchweb"],
    verbs: "search google look find query",
    objects: onTheWeb,
    needs: ["pattern"],
    isDecidedBySchema: false,
  },
};
