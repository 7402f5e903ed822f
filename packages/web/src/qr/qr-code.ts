import { encode } from "uqr";

/** The quiet zone that readers need around a code, in modules. */
const BORDER = 2;

/** The rows of a QR code, true where it is dark. A light border is part of it. */
export function qrCode(text: string): readonly (readonly boolean[])[] {
  return encode(text, { ecc: "M", border: BORDER }).data;
}

const halves = { none: "█", upper: "▄", lower: "▀", both: " " } as const;

/**
 * The same as lines of text, two rows to a line. Light modules are drawn, since terminals are mostly dark: readers that want dark on light
 * take both.
 */
export function qrLines(text: string): readonly string[] {
  const rows = qrCode(text);
  return Array.from({ length: Math.ceil(rows.length / 2) }, (_, line) =>
    (rows[line * 2] ?? [])
      .map((isUpperDark, column) => {
        const isLowerDark = rows[line * 2 + 1]?.[column] ?? false;
        if (isUpperDark) return isLowerDark ? halves.both : halves.upper;
        return isLowerDark ? halves.lower : halves.none;
      })
      .join(""),
  );
}
