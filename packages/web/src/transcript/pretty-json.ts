/** Indented when it is JSON, as it is otherwise. */
export function prettyJson(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text; // It only looked like JSON, or was cut: then it is shown as it came.
  }
}
