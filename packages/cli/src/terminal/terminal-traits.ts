import type { Host } from "../host.ts";

const DEFAULT_COLUMNS = 80;

/** What standard output can show. */
export interface TerminalTraits {
  /** Asked each time, because windows are resized. */
  readonly columns: () => number;
  readonly colours: boolean;
  /** Whether lines can be redrawn. */
  readonly isTty: boolean;
  readonly isUtf8: boolean;
}

/** `FORCE_COLOR` decides, then `NO_COLOR`, then whether anybody looks. */
export function terminalTraits({ env, stdout }: Pick<Host, "env" | "stdout">): TerminalTraits {
  const isTty = stdout.isTTY === true && env["TERM"] !== "dumb";
  return {
    columns: () => stdout.columns || DEFAULT_COLUMNS,
    colours: wantsColours(env) ?? isTty,
    isTty,
    isUtf8: isUtf8(env),
  };
}

function wantsColours(env: Host["env"]): boolean | undefined {
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return env["NO_COLOR"] ? false : undefined;
}

/** A locale that was never set says nothing; terminals of today read UTF-8. */
function isUtf8(env: Host["env"]): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"];
  return !locale || /utf-?8/i.test(locale);
}
