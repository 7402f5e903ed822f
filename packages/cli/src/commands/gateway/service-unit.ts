export const UNIT_NAME = "caret.service";

export interface ServiceUnitOptions {
  /** What starts Caret: the program and its first arguments. */
  readonly program: readonly string[];
  /** The settings of this gateway, as flags. */
  readonly flags: readonly string[];
  readonly dataDir: string;
  /** Where agents and git are found: a service has another PATH than a shell. */
  readonly path: string;
}

/**
 * The unit of a gateway that is always there. Its processes belong to its cgroup, which systemd ends as a whole; the gateway is
 * given time to let turns end first.
 */
export function serviceUnit({ program, flags, dataDir, path }: ServiceUnitOptions): string {
  return [
    "[Unit]",
    "Description=Caret, the gateway of Cursor's agents",
    "",
    "[Service]",
    "Type=exec",
    `ExecStart=${[...program, "serve", ...flags].map((word) => quoted(word.replaceAll("$", "$$$$"))).join(" ")}`,
    `Environment=${quoted(`CARET_DATA_DIR=${dataDir}`)}`,
    `Environment=${quoted(`PATH=${path}`)}`,
    "Restart=on-failure",
    "RestartSec=2",
    "TimeoutStopSec=60",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
}

/** systemd expands `%`, and in commands `$` too; it reads quotes and backslashes as C does. */
function quoted(word: string): string {
  const escaped = word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%");
  return /^[\w@+=:,./%-]+$/.test(escaped) ? escaped : `"${escaped}"`;
}
