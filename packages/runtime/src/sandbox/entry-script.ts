import type { MountNames } from "./mount-names.ts";
import { PROXY_PORT } from "./sandbox-environment.ts";
import type { SandboxSettings } from "./sandbox-settings.ts";

/** Where the gateway's proxy is reached inside. */
export const PROXY_SOCKET = "/run/caret/network.sock";

/**
 * Carries connections from the sandbox's loopback to the proxy's socket, the one way out. Programs know proxies by host and
 * port; a socket file is what passes the wall of a network namespace.
 */
const relay = `
const net = require("node:net");
const carry = (from) => {
  const to = net.connect({ path: process.argv[1], allowHalfOpen: true });
  const end = () => (from.destroy(), to.destroy());
  from.on("error", end).pipe(to).on("error", end).pipe(from);
};
net.createServer({ allowHalfOpen: true }, carry).listen(${PROXY_PORT}, "127.0.0.1", () => console.log("ready"));
`;

/** Ends before the program is started where anything is mounted that was not meant: see `mountNames`. A shell needs no process for it. */
const CHECK = [
  "while read -r _ _ device root point _; do",
  '  case "$1" in *" $device "*) ;; *) continue ;; esac',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: these are the shell's own braces
  "  root=${root%//deleted}",
  '  case "$2" in *"',
  "$device $root",
  '"*) ;; *) echo "caret: $point is not what was to be mounted there" >&2; exit 126 ;; esac',
  "done </proc/self/mountinfo",
  "shift 2",
  "unset device root point _",
];

/**
 * The first program inside: compares what is mounted, sets limits, starts the relay where there is one, and becomes the program. Set outside, the
 * limit on processes would count all of the user's. Bubblewrap's status descriptor is closed, being none of the program's
 * business. Shells have two letters for the limit on processes.
 */
export function entryScript(
  { processes, fileBytes, memoryBytes }: SandboxSettings,
  node: string | undefined,
  names: MountNames,
): string[] {
  const limits = [
    ...CHECK,
    "ulimit -c 0",
    `ulimit -f ${Math.ceil(fileBytes / 512)}`,
    `{ ulimit -u ${processes} || ulimit -p ${processes}; } 2>/dev/null`,
    ...(memoryBytes === undefined ? [] : [`ulimit -d ${Math.ceil(memoryBytes / 1024)}`]),
  ];
  const become = 'exec "$@" 3>&-';
  const compared = [names.machine, names.allowed];
  if (node === undefined) return ["-c", [...limits, become].join("\n"), "sandbox", ...compared];
  // Nobody's child: a program that waits for all of its own must not wait for the relay.
  const start = [
    "mkfifo -m 600 /tmp/.relay",
    '( "$1" -e "$2" "$3" >/tmp/.relay 2>/dev/null 3>&- </dev/null & )',
    "read -r ready </tmp/.relay",
    "rm /tmp/.relay",
    "shift 3",
  ];
  return ["-c", [...limits, ...start, become].join("\n"), "sandbox", ...compared, node, relay, PROXY_SOCKET];
}
