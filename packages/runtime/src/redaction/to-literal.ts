/** Regular expression source that matches exactly this text. */
export function toLiteral(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}
