import type { Host } from "../host.ts";
import { chooseGlyphs } from "./glyphs.ts";
import type { Look } from "./look.ts";
import { createTerminalStyle } from "./terminal-style.ts";
import { terminalTraits } from "./terminal-traits.ts";

/** How a command that prints and ends shows things on this host. */
export function hostLook(host: Host): Look & { readonly columns: number; readonly isTty: boolean } {
  const { colours, isUtf8, isTty, columns } = terminalTraits(host);
  return { style: createTerminalStyle(colours), glyphs: chooseGlyphs(isUtf8), columns: columns(), isTty };
}
