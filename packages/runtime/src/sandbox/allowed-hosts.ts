const HTTPS = 443;

/** Where the sandbox's proxy may connect to. */
export interface AllowedHosts {
  isAllowed(host: string, port: number): boolean;
  /** Named with their port by the operator: their addresses may be private ones. As origins of `http`. */
  readonly trustedOrigins: ReadonlySet<string>;
}

/** `example.com` and `*.example.com` mean port 443; `host:port` means that host and port alone. */
export function allowedHosts(entries: readonly string[]): AllowedHosts {
  const wanted = entries.map((entry) => entry.toLowerCase());
  const exact = new Set(wanted.map((entry) => (hasPort(entry) ? entry : `${entry}:${HTTPS}`)));
  const above = wanted.filter((entry) => entry.startsWith("*.")).map((entry) => entry.slice(1));
  return {
    isAllowed(host, port) {
      const name = host.toLowerCase().replace(/\.$/, "");
      if (exact.has(`${name}:${port}`)) return true;
      return port === HTTPS && above.some((ending) => name.endsWith(ending));
    },
    trustedOrigins: new Set(wanted.filter(hasPort).map((entry) => `http://${entry}`)),
  };
}

function hasPort(entry: string): boolean {
  return /:\d+$/.test(entry);
}
