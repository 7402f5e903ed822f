import { closeSync, readdirSync } from "node:fs";
import { readProcFile } from "./process-identity.ts";

const CLOSE_ON_EXEC = 0o2000000;

/** The variables of our environment that a child may see. A trailing `*` matches any suffix. */
const ALLOWED = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_*",
  "TZ",
  "TERM",
  "COLORTERM",
  "TMPDIR",
  "XDG_*",
  "SSL_CERT_*",
  "NODE_EXTRA_CA_CERTS",
  "NODE_USE_ENV_PROXY",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "CURSOR_*",
  "AGENT_CLI_CREDENTIAL_STORE",
  "NO_OPEN_BROWSER",
  // Windows cannot start most programs without these.
  "SYSTEMROOT",
  "WINDIR",
  "COMSPEC",
  "PATHEXT",
  "SYSTEMDRIVE",
  "USERNAME",
  "USERPROFILE",
  "HOMEDRIVE",
  "HOMEPATH",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "TEMP",
  "TMP",
];

/** Never inherited, even if a caller allows more: they make any program run other code. */
const DROPPED = [
  "NODE_OPTIONS",
  "NODE_PATH",
  "NODE_CHANNEL_*",
  "LD_*",
  "DYLD_*",
  "BASH_ENV",
  "BASH_FUNC_*",
  "ENV",
  "PAGER",
  "GIT_*",
  "PROMPT_COMMAND",
];

export interface ChildEnvironmentOptions {
  readonly parent: Readonly<Record<string, string | undefined>>;
  /** Additional names, `FOO` or `FOO_*`. */
  readonly allow?: readonly string[];
  /** Overrides the parent's values; undefined removes one. */
  readonly set?: Readonly<Record<string, string | undefined>>;
}

/** The complete environment of a child: allowed variables of the parent, plus explicit ones. */
export function childEnvironment({ parent, allow = [], set = {} }: ChildEnvironmentOptions): Record<string, string> {
  const isAllowed = matcher([...ALLOWED, ...allow]);
  const isDropped = matcher(DROPPED);
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent))
    if (value !== undefined && isAllowed(name) && !isDropped(name)) environment[name] = value;
  for (const [name, value] of Object.entries(set)) {
    if (value === undefined) delete environment[name];
    else environment[name] = value;
  }
  // The CLI would use an empty key, and a good login would then appear to fail.
  if (environment["CURSOR_API_KEY"]?.trim() === "") delete environment["CURSOR_API_KEY"];
  return environment;
}

/** Ignores case: proxy variables are also written in lower case, and Windows does not distinguish. */
function matcher(patterns: readonly string[]): (name: string) => boolean {
  const wanted = patterns.map((pattern) => pattern.toUpperCase());
  const exact = new Set(wanted.filter((pattern) => !pattern.endsWith("*")));
  const prefixes = wanted.filter((pattern) => pattern.endsWith("*")).map((pattern) => pattern.slice(0, -1));
  return (name) => exact.has(name.toUpperCase()) || prefixes.some((prefix) => name.toUpperCase().startsWith(prefix));
}

/**
 * Descriptors that this process inherited and would pass on to its children. Descriptors opened by Node close on exec; those left open by
 * a careless parent do not, and would reach every agent.
 */
function listInheritedDescriptors(): number[] {
  return listDescriptors()
    .sort((a, b) => a - b)
    .filter((descriptor) => {
      const flags = /^flags:\s*([0-7]+)/m.exec(readProcFile(`/proc/self/fdinfo/${descriptor}`) ?? "")?.[1];
      return descriptor > 2 && flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
    });
}

/** The subset that can be replaced in a child: a descriptor above our limit cannot. */
export function listHideableDescriptors(): number[] {
  const limit = /^Max open files\s+(\d+)/m.exec(readProcFile("/proc/self/limits") ?? "")?.[1];
  return listInheritedDescriptors().filter((descriptor) => descriptor < Number(limit ?? Number.POSITIVE_INFINITY));
}

/** Closes them. Only for processes of our own: in the gateway such a descriptor may be a listening socket passed on purpose. */
export function closeInheritedDescriptors(): void {
  for (const descriptor of listInheritedDescriptors()) closeSync(descriptor);
}

function listDescriptors(): number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return []; // not Linux
  }
}
