import type { Glyphs } from "./glyphs.ts";
import type { TerminalStyle } from "./terminal-style.ts";

/** How things are shown. */
export interface Look {
  readonly style: TerminalStyle;
  readonly glyphs: Glyphs;
}
