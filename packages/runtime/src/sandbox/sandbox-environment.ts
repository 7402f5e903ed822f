/** Where the relay inside listens; nothing else is on the loopback of a sandbox without a network. */
export const PROXY_PORT = 3128;

/** Of the machine, and without meaning inside. */
const DROPPED = /^(?:XDG_(?!CONFIG_HOME$).*|TMPDIR|TEMP|TMP|DBUS_.*|SSH_.*|DISPLAY|WAYLAND_.*)$/i;
const PROXY_NAMES = /^(?:https?|all|no)_proxy$/i;

/**
 * The environment inside. Without a network of its own a program reaches hosts through the proxy alone, which it finds by
 * the usual variables; Node heeds them when it is asked to.
 */
export function sandboxEnvironment(
  env: Readonly<Record<string, string>>,
  network: "shared" | "proxy" | "none",
): Record<string, string> {
  const isKept = (name: string): boolean => !DROPPED.test(name) && (network === "shared" || !PROXY_NAMES.test(name));
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name)));
  return { ...kept, TMPDIR: "/tmp", ...(network === "proxy" ? proxyVariables() : {}) };
}

function proxyVariables(): Record<string, string> {
  const url = `http://127.0.0.1:${PROXY_PORT}`;
  const none = "localhost,127.0.0.1,::1";
  return {
    HTTPS_PROXY: url,
    https_proxy: url,
    HTTP_PROXY: url,
    http_proxy: url,
    NO_PROXY: none,
    no_proxy: none,
    NODE_USE_ENV_PROXY: "1",
  };
}
