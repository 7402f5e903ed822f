/** The source of a regular expression that matches exactly this text. */
export function toLiteral(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}
