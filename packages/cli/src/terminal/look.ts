import type { Host } from "../host/host.ts";
import { chooseGlyphs, type Glyphs } from "./glyphs.ts";

const DEFAULT_COLUMNS = 80;

/** Style and symbols of output. */
export interface Look {
  readonly style: TerminalStyle;
  readonly glyphs: Glyphs;
}

/** The look for commands on this host that print and exit. */
export function hostLook(host: Host): Look & { readonly columns: number; readonly isTty: boolean } {
  const { colours, isUtf8, isTty, columns } = terminalTraits(host);
  return { style: createTerminalStyle(colours), glyphs: chooseGlyphs(isUtf8), columns: columns(), isTty };
}

/** What standard output can show. */
interface TerminalTraits {
  /** A function, because windows are resized. */
  readonly columns: () => number;
  readonly colours: boolean;
  /** Whether lines can be redrawn. */
  readonly isTty: boolean;
  readonly isUtf8: boolean;
}

/** `FORCE_COLOR` decides, then `NO_COLOR`, then whether the output is a terminal. */
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

/** An unset locale says nothing, and today's terminals read UTF-8. */
function isUtf8(env: Host["env"]): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"];
  return !locale || /utf-?8/i.test(locale);
}

type Paint = (text: string) => string;

/** Painters of text. Without colours they return it unchanged. */
export interface TerminalStyle {
  readonly colours: boolean;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly underline: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

export function createTerminalStyle(colours: boolean): TerminalStyle {
  const paint =
    (on: number, off: number): Paint =>
    (text) =>
      colours && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return {
    colours,
    bold: paint(1, 22),
    dim: paint(2, 22),
    italic: paint(3, 23),
    underline: paint(4, 24),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}
