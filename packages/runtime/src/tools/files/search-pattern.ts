import { CaretError } from "@caret/protocol";
import { type Escape, literalOf, readEscape } from "./search-escapes.ts";

/** A pattern in `RegExp` syntax. */
export interface SearchExpression {
  readonly pattern: string;
  readonly flags: string;
}

export interface PatternOptions {
  readonly ignoresCase: boolean;
  /** Matches can span lines: a dot also matches line feeds. */
  readonly isMultiline: boolean;
}

/**
 * Translates ripgrep's syntax to `RegExp`. Untranslated, much of it is valid but means something else: `[[:space:]]`, `\A`, `\<`.
 * Look-around and backreferences are also accepted. Throws `invalid-request` for anything it cannot read.
 */
export function toExpression(written: string, { ignoresCase, isMultiline }: PatternOptions): SearchExpression {
  const set = { i: ignoresCase, s: isMultiline };
  const [prefix = "", flags = ""] = /^\(\?([a-z]*(?:-[a-z]+)?)\)/i.exec(written) ?? [];
  const { i, s } = withFlags(set, flags);
  const pattern = new PatternReader(written.slice(prefix.length), s, isMultiline).read();
  const expression = { pattern, flags: i ? "iu" : "u" };
  try {
    new RegExp(expression.pattern, expression.flags);
  } catch (reason) {
    throw unreadable(String((reason as Error).message.split(": ").at(-1)));
  }
  return expression;
}

function unreadable(problem: string): CaretError {
  return new CaretError("invalid-request", `The pattern is not a regular expression: ${problem}`);
}

interface Flags {
  readonly i: boolean;
  readonly s: boolean;
}

/** `m` and `u` are always on and cannot be turned off. */
function withFlags({ i, s }: Flags, written: string): Flags {
  const [on = "", off = ""] = written.split("-");
  if (!/^[imsu]*$/.test(on) || !/^[is]*$/.test(off)) throw unreadable(`the flags ${written} are not known here`);
  return { i: (i || on.includes("i")) && !off.includes("i"), s: (s || on.includes("s")) && !off.includes("s") };
}

const ASCII_CLASSES: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7f",
  blank: "\\t\\x20",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "\\x21-\\x7e",
  lower: "a-z",
  print: "\\x20-\\x7e",
  punct: "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e",
  space: "\\t\\n\\v\\f\\r\\x20",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

const ASCII_CLASS = /\[:(\^?)([a-z]+):\]/y;
const GROUP = /\((?:\?(?:P?<(?![=!])([^>]+)>|(<?[=!])|([a-z]*(?:-[a-z]+)?):|()))?/iy;
const COUNT = /\{(?:\d+(?:,\d*)?|,\d+)\}/y;
const MAX_DEPTH = 100;

/** A set that matches one character: valid inside a class, or only outside. */
type CharacterClass = { readonly set: string } | { readonly one: string };

function oneOf(characters: CharacterClass): string {
  return "set" in characters ? `[${characters.set}]` : characters.one;
}

function noneOf(characters: CharacterClass): string {
  return "set" in characters ? `[^${characters.set}]` : `(?:(?!${characters.one})[\\s\\S])`;
}

/** Avoids the engine's own nested classes: with them it loses track of which part of a pattern ignores case. */
function anyOf(items: readonly CharacterClass[]): CharacterClass {
  const set = items.map((item) => ("set" in item ? item.set : "")).join("");
  const others = items.flatMap((item) => ("one" in item ? [item.one] : []));
  return others.length === 0 ? { set } : { one: `(?:${[...(set === "" ? [] : [`[${set}]`]), ...others].join("|")})` };
}

/** Combines the left operand of an operator with its right one. */
function combination(operator: string, left: CharacterClass): (right: CharacterClass) => CharacterClass {
  if (operator === "~~") throw unreadable("~~ is not known here");
  const look = operator === "&&" ? "=" : "!";
  return (right) => ({ one: `(?:(?${look}${oneOf(right)})${oneOf(left)})` });
}

class PatternReader {
  readonly #text: string;
  readonly #isMultiline: boolean;
  /** For each open group, innermost last: does a dot match line feeds? */
  readonly #dotTakesAll: boolean[];
  #at = 0;

  constructor(text: string, dotTakesAll: boolean, isMultiline: boolean) {
    this.#text = text;
    this.#dotTakesAll = [dotTakesAll];
    this.#isMultiline = isMultiline;
  }

  read(): string {
    const out: string[] = [];
    while (this.#at < this.#text.length) out.push(this.#next());
    return out.join("");
  }

  #next(): string {
    const character = this.#character();
    switch (character) {
      case "\\":
        return this.#escape();
      case "[":
        this.#at += 1;
        return this.#class(0);
      case "(":
        return this.#group();
      case "{":
        return this.#count();
      default:
        this.#at += character.length;
        return this.#plain(character);
    }
  }

  #plain(character: string): string {
    switch (character) {
      case ")":
        if (this.#dotTakesAll.length > 1) this.#dotTakesAll.pop();
        return character;
      case ".":
        return this.#dotTakesAll.at(-1) === true ? "[\\s\\S]" : "[^\\n]";
      // Lines end only at line feeds. For single lines the engine's own anchors are better.
      case "^":
        return this.#isMultiline ? "(?<![^\\n])" : character;
      case "$":
        return this.#isMultiline ? "(?![^\\n])" : character;
      case "*":
      case "+":
      case "?":
      case "|":
        return character;
      default:
        return this.#literal(character);
    }
  }

  #literal(character: string): string {
    if (character === "\n" && !this.#isMultiline)
      throw unreadable("it has a line feed, and each line is searched by itself");
    return literalOf(character);
  }

  #escape(): string {
    const read = this.#readEscape();
    if ("as" in read) return read.as;
    return "character" in read ? this.#literal(read.character) : oneOf(read);
  }

  #readEscape(): Escape {
    const read = readEscape(this.#text, this.#at);
    if (read === undefined) throw unreadable(`${this.#text.slice(this.#at, this.#at + 2)} is not known here`);
    this.#at = read.end;
    return read;
  }

  #group(): string {
    const [whole = "", name, look, flags, unknown] = this.#match(GROUP) ?? [];
    if (unknown !== undefined) throw unreadable("a group of a kind that is not known here");
    const before = this.#dotTakesAll.at(-1) === true;
    const { i, s } = withFlags({ i: false, s: before }, flags ?? "");
    this.#dotTakesAll.push(s);
    if (name !== undefined) return `(?<${name}>`;
    if (look !== undefined || flags === undefined) return whole;
    const isCaseBack = (flags.split("-")[1] ?? "").includes("i");
    return i ? "(?i:" : isCaseBack ? "(?-i:" : "(?:";
  }

  #count(): string {
    const [count] = this.#match(COUNT) ?? [];
    if (count !== undefined) return count.replace("{,", "{0,");
    this.#at += 1;
    return literalOf("{");
  }

  /** Reads a bracketed class whose opening bracket has been consumed. */
  #class(depth: number): string {
    if (depth > MAX_DEPTH) throw unreadable("its classes are nested too deep");
    const isNegated = this.#take("^");
    let items: CharacterClass[] = this.#take("]") ? [{ set: literalOf("]") }] : [];
    let withLast = (last: CharacterClass): CharacterClass => last;
    while (!this.#take("]")) {
      const [operator] = this.#match(/&&|--|~~/y) ?? [];
      if (operator === undefined) items.push(this.#item(depth));
      else {
        withLast = combination(operator, withLast(anyOf(items)));
        items = [];
      }
    }
    const whole = withLast(anyOf(items));
    return isNegated ? noneOf(whole) : oneOf(whole);
  }

  #item(depth: number): CharacterClass {
    const [ascii, not = "", name = ""] = this.#match(ASCII_CLASS) ?? [];
    if (ascii !== undefined) {
      const set = Object.hasOwn(ASCII_CLASSES, name) ? ASCII_CLASSES[name] : undefined;
      if (set === undefined) throw unreadable(`the class ${ascii} is not known`);
      return not === "" ? { set } : { one: noneOf({ set }) };
    }
    if (this.#take("[")) return { one: this.#class(depth + 1) };
    const first = this.#one();
    if (typeof first === "object") return first;
    if (!this.#isRange()) return { set: literalOf(first) };
    this.#at += 1;
    const last = this.#one();
    if (typeof last === "object") throw unreadable("a range ends in no character");
    return { set: `${literalOf(first)}-${literalOf(last)}` };
  }

  #isRange(): boolean {
    const next = this.#text.slice(this.#at, this.#at + 2);
    return next.length === 2 && next.startsWith("-") && next !== "--" && next !== "-]";
  }

  /** One item of a class: a character, or a named set. */
  #one(): string | CharacterClass {
    const character = this.#character();
    if (character === "") throw unreadable("a class is not closed");
    if (character !== "\\") {
      this.#at += character.length;
      return character;
    }
    const read = this.#readEscape();
    if ("as" in read) throw unreadable("a place in the text cannot stand in a class");
    return "character" in read ? read.character : read;
  }

  #character(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  #take(wanted: string): boolean {
    const isThere = this.#text.startsWith(wanted, this.#at);
    if (isThere) this.#at += wanted.length;
    return isThere;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}
