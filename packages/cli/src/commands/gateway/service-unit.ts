import { digestText } from "../../install/file-drafts.ts";

export const UNIT_NAME = "caret.service";

export interface ServiceUnitOptions {
  /** The command that starts Caret: program and leading arguments. */
  readonly program: readonly string[];
  /** This gateway's settings as flags. */
  readonly flags: readonly string[];
  readonly dataDir: string;
  /** PATH where agents and git are found: a service has a different one than a shell. */
  readonly path: string;
}

/**
 * The systemd unit of a permanent gateway. Its processes belong to its cgroup, which systemd ends as a whole; the gateway first gets time
 * to let turns end.
 */
export function serviceUnit({ program, flags, dataDir, path }: ServiceUnitOptions): string {
  const unit = [
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
  return `${mark(unit)}\n${unit}`;
}

/** A unit that Caret wrote and that has a word of somebody else's in it by now, or one that Caret did not write. */
export function isEdited(text: string): boolean {
  const [first = "", ...rest] = text.split("\n");
  return first !== mark(rest.join("\n"));
}

function mark(unit: string): string {
  return `# Written by \`caret service install\`; edit it with \`systemctl --user edit\`. ${digestText(unit).slice(0, 16)}`;
}

/** systemd expands `%`, and in commands also `$`; it reads quotes and backslashes as C does. */
function quoted(word: string): string {
  const escaped = word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%");
  return /^[\w@+=:,./%-]+$/.test(escaped) ? escaped : `"${escaped}"`;
}
