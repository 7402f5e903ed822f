const rule = /Only lines that carry the mark ([0-9a-f]{12}) are structure: [^\n]* \[\1\]\n\n/;

/** A prompt as it reads without its marks, which differ from prompt to prompt. */
export function withoutMarks(prompt: string | undefined): string {
  let text = prompt ?? "";
  for (let found = rule.exec(text); found !== null; found = rule.exec(text)) {
    const [whole, mark] = found;
    text = text.replace(whole, "").replaceAll(new RegExp(` ${mark}(?=>$)| \\[${mark}\\]$`, "gm"), "");
  }
  return text;
}
