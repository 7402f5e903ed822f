/** Avoids `split`, which builds a regular expression per call: this runs for every delta. */
export function firstLine(text: string): string {
  const end = text.search(/[\r\n]/);
  return end === -1 ? text : text.slice(0, end);
}
