const words: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bplus\b/gi, "+"],
  [/\bminus\b/gi, "-"],
  [/\b(?:times|multiplied by)\b|[x×](?=\s*\d)/gi, "*"],
  [/\bdivided by\b|÷/gi, "/"],
];

/** The value of a sum like `2 + 3 * 4` found in a question, or nothing when there is none. */
export function arithmetic(question: string): { readonly sum: string; readonly value: number } | undefined {
  const plain = words.reduce((text, [pattern, sign]) => text.replace(pattern, sign), question);
  const sum = /-?\d+(?:\.\d+)?(?:\s*[-+*/]\s*\d+(?:\.\d+)?)+/.exec(plain)?.[0];
  return sum === undefined ? undefined : { sum, value: round(evaluate(sum)) };
}

/** Products before sums, from left to right. */
function evaluate(sum: string): number {
  const tokens = sum.match(/(?<=^|[-+*/]\s*)-?\d+(?:\.\d+)?|\d+(?:\.\d+)?|[-+*/]/g) ?? [];
  const terms: number[] = [];
  let sign = "+";
  for (const token of tokens) {
    if (/^[-+*/]$/.test(token)) sign = token;
    else applySign(terms, sign, Number(token));
  }
  return terms.reduce((total, term) => total + term, 0);
}

function applySign(terms: number[], sign: string, value: number): void {
  if (sign === "+" || sign === "-") {
    terms.push(sign === "-" ? -value : value);
    return;
  }
  const last = terms.pop() ?? 0;
  terms.push(sign === "*" ? last * value : last / value);
}

function round(value: number): number {
  return Number(value.toFixed(10));
}
