/** How a piece of terminal output looks. Colours are CSS values; absent means the terminal's own. */
export interface AnsiStyle {
  readonly color?: string;
  readonly background?: string;
  readonly bold?: true;
  readonly dim?: true;
  readonly italic?: true;
  readonly underline?: true;
  readonly strike?: true;
  readonly inverse?: true;
}

export const plainStyle: AnsiStyle = {};

type Draft = { -readonly [Key in keyof AnsiStyle]: AnsiStyle[Key] };

const switchesOn: ReadonlyMap<number, "bold" | "dim" | "italic" | "underline" | "inverse" | "strike"> = new Map([
  [1, "bold"],
  [2, "dim"],
  [3, "italic"],
  [4, "underline"],
  [7, "inverse"],
  [9, "strike"],
  [21, "underline"],
]);

const switchesOff: ReadonlyMap<number, readonly (keyof AnsiStyle)[]> = new Map<number, readonly (keyof AnsiStyle)[]>([
  [22, ["bold", "dim"]],
  [23, ["italic"]],
  [24, ["underline"]],
  [27, ["inverse"]],
  [29, ["strike"]],
  [39, ["color"]],
  [49, ["background"]],
]);

/** The style after one "select graphic rendition" sequence; what it does not know it leaves alone. */
export function applySgr(style: AnsiStyle, parameters: string): AnsiStyle {
  const codes = parameters === "" ? [0] : parameters.split(/[;:]/).map(Number);
  let next: Draft = { ...style };
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === 0) next = {};
    else if (code === 38 || code === 48)
      index += setWideColor(next, code === 38 ? "color" : "background", codes, index);
    else applyCode(next, code);
  }
  return next;
}

function applyCode(style: Draft, code: number): void {
  const on = switchesOn.get(code);
  if (on !== undefined) style[on] = true;
  for (const key of switchesOff.get(code) ?? []) delete style[key];
  if (code >= 30 && code <= 37) style.color = namedColor(code - 30);
  if (code >= 90 && code <= 97) style.color = namedColor(code - 82);
  if (code >= 40 && code <= 47) style.background = namedColor(code - 40);
  if (code >= 100 && code <= 107) style.background = namedColor(code - 92);
}

/** `38;5;n` and `38;2;r;g;b`. Says how many codes it used up beyond its own. */
function setWideColor(style: Draft, key: "color" | "background", codes: readonly number[], index: number): number {
  if (codes[index + 1] === 5) {
    style[key] = paletteColor(codes[index + 2] ?? 0);
    return 2;
  }
  if (codes[index + 1] !== 2) return 0;
  style[key] = rgb(codes[index + 2], codes[index + 3], codes[index + 4]);
  return 4;
}

function paletteColor(wanted: number): string {
  const index = byte(wanted);
  if (index < 16) return namedColor(index);
  if (index >= 232) return rgb(8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10);
  const cube = index - 16;
  return rgb(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function level(step: number): number {
  return step === 0 ? 0 : 55 + step * 40;
}

function namedColor(index: number): string {
  return `var(--ansi-${index})`;
}

function rgb(red = 0, green = 0, blue = 0): string {
  return `rgb(${byte(red)} ${byte(green)} ${byte(blue)})`;
}

function byte(value: number): number {
  return Number.isFinite(value) ? Math.min(255, Math.max(0, Math.trunc(value))) : 0;
}
