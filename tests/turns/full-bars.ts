/** `CARET_FULL_BARS=1` runs the bars at their full size; by default they are as large as a quick run allows. */
export function barSize({ quick, full }: { readonly quick: number; readonly full: number }): number {
  return process.env["CARET_FULL_BARS"] === "1" ? full : quick;
}
