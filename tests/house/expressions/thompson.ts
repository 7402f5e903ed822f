import { CharSet, type Concatenation, type Element, JS, type NoParent } from "refa";

/** What must stand before or behind a place: one of these characters, or the edge of the text if that is allowed. */
export interface Guard {
  readonly side: "ahead" | "behind";
  readonly characters: CharSet;
  readonly edge: boolean;
}

/** A place in an expression: it consumes a character and goes on at its only way, or goes on at any without consuming. */
export interface Place {
  readonly consumes?: CharSet;
  readonly ways: Way[];
  /** The repetition with a high limit that it stands in repeats so often; Infinity where none limits it. */
  readonly limit: number;
  readonly accepts?: true;
}

export interface Way {
  to: Place;
  readonly guard?: Guard;
  /** A lookaround of several characters decides; it is taken for passable, but not for certain. */
  readonly unsure?: true;
  /** It leads into what looks ahead: an end that is reached by it at once is not the end of the expression. */
  readonly aside?: true;
}

export interface Compiled {
  readonly start: Place;
  readonly all: CharSet;
  /** Why it cannot be judged. */
  readonly unknown: string | undefined;
}

/** Repetitions up to this limit are written out. With a higher one they count as loops whose cost the limit bounds. */
const WRITTEN_OUT = 6;

/** An expression as a graph of places, with the search for its beginning: a loop in front that consumes anything. */
export function compileExpression(source: string, flags: string): Compiled {
  const { expression, maxCharacter } = JS.Parser.fromLiteral({ source, flags }).parse({ backreferences: "unknown" });
  const all = CharSet.all(maxCharacter);
  const compiler = new Compiler(all);
  const entry = compiler.alternatives(expression.alternatives, { ways: [], limit: Infinity, accepts: true }, Infinity);
  const start: Place = { ways: [{ to: entry }], limit: Infinity };
  if (!flags.includes("y")) {
    const search: Place = { consumes: all, ways: [], limit: Infinity };
    search.ways.push({ to: search }, { to: entry });
    start.ways.push({ to: search });
  }
  return { start, all, unknown: compiler.unknown };
}

class Compiler {
  unknown: string | undefined;
  readonly #all: CharSet;

  constructor(all: CharSet) {
    this.#all = all;
  }

  alternatives(alternatives: readonly NoParent<Concatenation>[], next: Place, limit: number): Place {
    const ways = alternatives.map(({ elements }) => ({
      to: elements.reduceRight((after, element) => this.#element(element, after, limit), next),
    }));
    return ways.length === 1 && ways[0] !== undefined ? ways[0].to : { ways, limit };
  }

  #element(element: NoParent<Element>, next: Place, limit: number): Place {
    if (element.type === "CharacterClass") return { consumes: element.characters, ways: [{ to: next }], limit };
    if (element.type === "Alternation") return this.alternatives(element.alternatives, next, limit);
    if (element.type === "Quantifier") return this.#repeat(element, next, limit);
    if (element.type === "Assertion") return this.#assert(element, next, limit);
    this.unknown = `the backreference ${element.id}`;
    return next;
  }

  #repeat({ alternatives, min, max }: Of<"Quantifier">, next: Place, limit: number): Place {
    if (max === 0) return next;
    const once = (after: Place, inner: number): Place => this.alternatives(alternatives, after, inner);
    let place = max > WRITTEN_OUT ? this.#manyTimes(once, { min, max, limit }, next) : next;
    for (let count = min; max <= WRITTEN_OUT && count < max; count += 1)
      place = { ways: [{ to: once(place, limit) }, { to: next }], limit };
    for (let count = 0; count < Math.min(min, WRITTEN_OUT); count += 1) place = once(place, limit);
    return place;
  }

  /** What is repeated many times at least, and then without a limit, is sure to match once it is in its second loop. */
  #manyTimes(once: Once, { min, max, limit }: Times, next: Place): Place {
    if (max !== Infinity) return this.#loop(once, next, max, min <= WRITTEN_OUT);
    const endless = this.#loop(once, next, limit, true);
    return min <= WRITTEN_OUT ? endless : this.#loop(once, endless, min, false);
  }

  #loop(once: Once, next: Place, limit: number, isSure: boolean): Place {
    const loop: Place = { ways: [], limit };
    loop.ways.push({ to: once(loop, limit) }, isSure ? { to: next } : { to: next, unsure: true });
    return loop;
  }

  #assert(assertion: Of<"Assertion">, next: Place, limit: number): Place {
    const { kind, negate, alternatives } = assertion;
    const single = singleCharacters(alternatives, this.#all);
    if (single !== undefined) {
      const characters = negate ? single.negate() : single;
      return { ways: [{ to: next, guard: { side: kind, characters, edge: negate } }], limit };
    }
    if (kind === "behind" && alternatives.some(isEndless)) this.unknown = "a lookbehind without a limit";
    const ways: Way[] = [{ to: next, unsure: true }];
    // What looks ahead costs what it reads; where it ends, nothing is tried again.
    if (kind === "ahead") {
      const end: Place = { ways: [], limit, accepts: true };
      ways.push({ to: this.alternatives(alternatives, end, limit), aside: true });
    }
    return { ways, limit };
  }
}

type Once = (after: Place, limit: number) => Place;

interface Times {
  readonly min: number;
  readonly max: number;
  /** Of what stands around it. */
  readonly limit: number;
}

type Of<Type extends Element["type"]> = Extract<NoParent<Element>, { readonly type: Type }>;

function singleCharacters(alternatives: readonly NoParent<Concatenation>[], all: CharSet): CharSet | undefined {
  let characters = CharSet.empty(all.maximum);
  for (const { elements } of alternatives) {
    const [first, ...others] = elements;
    if (first?.type !== "CharacterClass" || others.length > 0) return undefined;
    characters = characters.union(first.characters);
  }
  return characters;
}

function isEndless({ elements }: NoParent<Concatenation>): boolean {
  return elements.some((element) => {
    if (element.type === "CharacterClass" || element.type === "Unknown") return false;
    return (element.type === "Quantifier" && element.max === Infinity) || element.alternatives.some(isEndless);
  });
}
