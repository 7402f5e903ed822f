import { closeSync, readdirSync } from "node:fs";
import { readProcFile } from "./process-identity.ts";

const CLOSE_ON_EXEC = 0o2000000;

/** What a child may see of our own environment. A name that ends in `*` stands for all that begin so. */
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

/** Never passed on from the parent, even when a caller allows more: they make any program run other code. */
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
  /** Names beyond the usual ones, `FOO` or `FOO_*`. */
  readonly allow?: readonly string[];
  /** Set whatever the parent has; undefined removes. */
  readonly set?: Readonly<Record<string, string | undefined>>;
}

/** The whole environment of a child: chosen names of the parent's, and what is set on purpose. */
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
  // The CLI takes an empty key for a key, and then a good login for a failed one.
  if (environment["CURSOR_API_KEY"]?.trim() === "") delete environment["CURSOR_API_KEY"];
  return environment;
}

/** Case is ignored: proxies are also spelt in small letters, and Windows does not tell the two apart. */
function matcher(patterns: readonly string[]): (name: string) => boolean {
  const wanted = patterns.map((pattern) => pattern.toUpperCase());
  const exact = new Set(wanted.filter((pattern) => !pattern.endsWith("*")));
  const prefixes = wanted.filter((pattern) => pattern.endsWith("*")).map((pattern) => pattern.slice(0, -1));
  return (name) => exact.has(name.toUpperCase()) || prefixes.some((prefix) => name.toUpperCase().startsWith(prefix));
}

/**
 * The descriptors that this process was born with and would hand on to its children. What Node opens itself closes on
 * exec; what a careless parent left open does not, and would reach every agent.
 */
function listInheritedDescriptors(): number[] {
  return listDescriptors()
    .sort((a, b) => a - b)
    .filter((descriptor) => {
      const flags = /^flags:\s*([0-7]+)/m.exec(readProcFile(`/proc/self/fdinfo/${descriptor}`) ?? "")?.[1];
      return descriptor > 2 && flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
    });
}

/** Those of them that a child can be given something else in their place: one above our limit cannot be replaced. */
export function listHideableDescriptors(): number[] {
  const limit = /^Max open files\s+(\d+)/m.exec(readProcFile("/proc/self/limits") ?? "")?.[1];
  return listInheritedDescriptors().filter((descriptor) => descriptor < Number(limit ?? Number.POSITIVE_INFINITY));
}

/**
 * Closes them. Only for a process of our own making: in the gateway such a descriptor may be a listening socket that it
 * was given on purpose.
 */
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
