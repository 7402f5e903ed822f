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
