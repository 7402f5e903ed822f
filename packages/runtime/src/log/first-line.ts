/** Not by `split`, which makes an expression of its own for each call: this is done for every delta. */
export function firstLine(text: string): string {
  const end = text.search(/[\r\n]/);
  return end === -1 ? text : text.slice(0, end);
}
