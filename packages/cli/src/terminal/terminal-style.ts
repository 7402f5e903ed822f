type Paint = (text: string) => string;

/** Text in a look of its own. Without colours everything stays as it is. */
export interface TerminalStyle {
  readonly colours: boolean;
  readonly bold: Paint;
  readonly dim: Paint;
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
    underline: paint(4, 24),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}
