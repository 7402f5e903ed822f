/** A text with its full stop, so that another sentence can follow. */
export function asSentence(text: string): string {
  return /[.!?:)]$/.test(text) ? text : `${text}.`;
}
