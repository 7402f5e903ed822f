import type { ReactNode } from "react";

export interface PaletteEntry {
  readonly id: string;
  readonly label: string;
  /** What else it is found by. */
  readonly also?: string;
}

/** One line of the palette: somewhere to go, or something to do. */
export interface PaletteAction extends PaletteEntry {
  readonly icon: ReactNode;
  readonly detail?: string;
  readonly href?: string;
  readonly onChoose?: () => void;
}
