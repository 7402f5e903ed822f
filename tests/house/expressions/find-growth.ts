import type { CharSet } from "refa";
import { type Automaton, buildAutomaton, type State } from "./automaton.ts";

/** Why matching an expression can take more time than its text is long. */
export interface Growth {
  readonly kind: "exponential" | "polynomial" | "bounded" | "unknown";
  readonly why: string;
  /** `before`, then `pump` many times, then something that does not match. */
  readonly before: string;
  readonly pump: string;
}

/** So many steps are tried for one expression. */
const BUDGET = 200_000;
/** What limited repetitions may cost together: so many times the length of the text. */
const MAX_FACTOR = 200;
const MAX_SUBSETS = 300;

/**
 * Whether a backtracking search with an expression can take more than linear time; undefined when it cannot.
 *
 * The number of ways to read a text grows by the square of its length or faster only if there are two places and a text that leads
 * from the first to itself, from the first to the second, and from the second to itself (Weber and Seidl, 1991). That these ways are all
 * tried takes something behind them that does not match.
 */
export function findGrowth(source: string, flags: string): Growth | undefined {
  const automaton = buildAutomaton(source, flags);
  if (automaton.unknown !== undefined) return growth("unknown", automaton.unknown);
  return new Search(automaton, flags.includes("g")).find();
}

function growth(kind: Growth["kind"], why: string, before = "", pump = ""): Growth {
  return { kind, why, before, pump };
}

class Search {
  readonly #automaton: Automaton;
  readonly #looping: ReadonlySet<State>;
  /** It goes on behind each match: then a short match does not pay for what was read in vain before it. */
  readonly #isRepeated: boolean;
  #left = BUDGET;

  constructor(automaton: Automaton, isRepeated: boolean) {
    this.#automaton = automaton;
    this.#looping = new Set(loopsOf(automaton.states).flat());
    this.#isRepeated = isRepeated;
  }

  find(): Growth | undefined {
    const loops = loopsOf(this.#automaton.states);
    const limited = new Map<Loop, number>();
    for (const [loop, other] of loops.flatMap((loop) => loops.map((other) => [loop, other] as const))) {
      const found = loop === other ? this.#ambiguityIn(loop) : this.#growthBetween(loop, other);
      if (this.#left <= 0) return growth("unknown", "it takes too many steps to judge");
      if (found === undefined) continue;
      const withLimit = [loop, other].filter((each) => limitOf(each) !== Infinity);
      if (withLimit.length === 0) return found;
      for (const each of withLimit) limited.set(each, limitOf(each));
    }
    const factor = [...limited.values()].reduce((product, limit) => product * limit, 1);
    return factor > MAX_FACTOR
      ? growth("bounded", `repetitions with a limit take up to ${factor} times the length`)
      : undefined;
  }

  /** Two ways from a place of a loop to itself by the same text. */
  #ambiguityIn(loop: readonly State[]): Growth | undefined {
    const inside = new Set(loop);
    for (const place of loop) {
      const double = place.next.find(({ to, isDouble }) => isDouble && inside.has(to));
      if (double !== undefined && this.#mayFail([place, double.to]))
        return growth("exponential", "a loop within a loop", this.#wayTo(place), sample(double.to.characters));
    }
    for (const place of loop) {
      const fits = (pair: readonly State[]): boolean => pair.every((state) => inside.has(state));
      const pair = [place, place];
      const text = this.#walk({ from: pair, goal: pair, fits, apart: true, failing: [place] });
      if (text !== undefined && this.#mayFail([place]))
        return growth("exponential", "two ways around a loop", this.#wayTo(place), text);
    }
    return undefined;
  }

  #growthBetween(first: readonly State[], second: readonly State[]): Growth | undefined {
    const [one] = first;
    const [two] = second;
    if (one === undefined || two === undefined || !reachableFrom(one).has(two)) return undefined;
    const [inFirst, inSecond, below] = [new Set(first), new Set(second), reachableFrom(one)];
    const fits = ([a, b, c]: readonly State[]): boolean =>
      inFirst.has(a as State) && below.has(b as State) && inSecond.has(c as State);
    for (const from of first)
      for (const to of second) {
        if (this.#left <= 0 || !this.#mayFail([to])) continue;
        const text = this.#walk({ from: [from, from, to], goal: [from, to, to], fits, failing: [from, to] });
        if (text !== undefined) return growth("polynomial", "two loops that read the same", this.#wayTo(from), text);
      }
    return undefined;
  }

  /**
   * A text that leads each of these states to its goal. With `apart`, on the way the first two are not always the same. It is none
   * with which one of the `failing` comes to match: then nothing else is tried.
   */
  #walk({ from, goal, fits, apart = false, failing = [] }: Walk): string | undefined {
    const end = this.#keyOf(goal, apart);
    const seen = new Set<string>();
    const isNew = (step: Step): boolean => {
      const key = `${this.#keyOf(step.states, step.isApart)}|${this.#keyOf(step.failing, false)}`;
      return fits(step.states) && !seen.has(key) && seen.add(key) !== undefined;
    };
    let front: readonly Step[] = [{ states: from, isApart: false, text: "", failing }];
    while (front.length > 0 && this.#left > 0) {
      front = front.flatMap((each) => this.#stepsFrom(each, apart)).filter(isNew);
      const found = front.find(({ states, isApart }) => this.#keyOf(states, isApart) === end);
      if (found !== undefined) return found.text;
    }
    return undefined;
  }

  #stepsFrom({ states, isApart, text, failing }: Step, apart: boolean): readonly Step[] {
    const sets = failing.flatMap(({ next }) => next.map(({ to }) => to.characters));
    const found: Step[] = [];
    for (const { step, characters } of stepsOf(states)) {
      this.#left -= 1;
      if (this.#left <= 0) break;
      for (const part of partsOf(characters, sets)) {
        const others = afterReading(part, failing);
        if (others.some((state) => this.#matches(state))) continue;
        const nowApart = apart && (isApart || step[0] !== step[1]);
        found.push({ states: step, isApart: nowApart, text: text + sample(part), failing: others });
      }
    }
    return found;
  }

  #keyOf(states: readonly State[], isApart: boolean): string {
    const numbers = this.#numbers();
    return `${states.map((state) => numbers.get(state)).join(" ")}${isApart ? "!" : ""}`;
  }

  #known: Map<State, number> | undefined;

  #numbers(): Map<State, number> {
    this.#known ??= new Map(this.#automaton.states.map((state, index) => [state, index]));
    return this.#known;
  }

  #matches(state: State): boolean {
    return state.acceptsAtEnd && state.accepted.isAll && (!this.#isRepeated || this.#looping.has(state));
  }

  /** The shortest text that leads to a state. */
  #wayTo(goal: State): string {
    const [start] = this.#automaton.states;
    return start === undefined ? "" : (this.#walk({ from: [start], goal: [goal], fits: () => true }) ?? "");
  }

  /** Whether something can follow with which none of these states comes to accept. */
  #mayFail(states: readonly State[]): boolean {
    const seen = new Set([this.#keyOf(states, false)]);
    const queue: (readonly State[])[] = [states];
    for (const set of queue) {
      const steps = set.some(({ acceptsAtEnd }) => acceptsAtEnd) && seen.size < MAX_SUBSETS ? this.#after(set) : [[]];
      if (steps.some((step) => step.length === 0)) return true;
      for (const step of steps) {
        const key = this.#keyOf(step, false);
        if (!seen.has(key)) queue.push(step);
        seen.add(key);
      }
    }
    return false;
  }

  /** Where states lead by each character with which none of them accepts. */
  #after(states: readonly State[]): readonly (readonly State[])[] {
    const open = states.reduce((rest, state) => rest.without(state.accepted), this.#automaton.all);
    const sets = states.flatMap(({ next }) => next.map(({ to }) => to.characters));
    return (open.isEmpty ? [] : partsOf(open, sets)).map((part) => afterReading(part, states));
  }
}

interface Walk {
  readonly from: readonly State[];
  readonly goal: readonly State[];
  readonly fits: (states: readonly State[]) => boolean;
  readonly apart?: boolean;
  readonly failing?: readonly State[];
}

interface Step {
  readonly states: readonly State[];
  readonly isApart: boolean;
  readonly text: string;
  readonly failing: readonly State[];
}

/** States that lead to each other. */
type Loop = readonly State[];

function limitOf(loop: Loop): number {
  return Math.min(...loop.map(({ limit }) => limit));
}

function afterReading(characters: CharSet, states: readonly State[]): readonly State[] {
  const edges = states.flatMap(({ next }) => next.map(({ to }) => to));
  return [...new Set(edges.filter((to) => to.characters.isSupersetOf(characters)))];
}

function* stepsOf(
  states: readonly State[],
): Generator<{ readonly step: readonly State[]; readonly characters: CharSet }> {
  const [state, ...others] = states;
  if (state === undefined) return;
  for (const { to } of state.next) {
    if (others.length === 0) yield { step: [to], characters: to.characters };
    else
      for (const { step, characters } of stepsOf(others)) {
        const shared = to.characters.intersect(characters);
        if (!shared.isEmpty) yield { step: [to, ...step], characters: shared };
      }
  }
}

/** A set of characters, divided so that each of the others holds all of a part or none. */
function partsOf(whole: CharSet, sets: readonly CharSet[]): readonly CharSet[] {
  let parts: readonly CharSet[] = [whole];
  for (const set of new Set(sets))
    parts = parts.flatMap((part) => [part.intersect(set), part.without(set)].filter((each) => !each.isEmpty));
  return parts;
}

function sample(characters: CharSet): string {
  const code = ["a", " ", "-", "\n"].map((letter) => letter.charCodeAt(0)).find((each) => characters.has(each));
  return String.fromCodePoint(code ?? characters.ranges[0]?.min ?? 0);
}

function reachableFrom(state: State): ReadonlySet<State> {
  const seen = new Set([state]);
  for (const each of seen) for (const { to } of each.next) seen.add(to);
  return seen;
}

/** The states that lead back to themselves, those together that lead to each other. */
function loopsOf(states: readonly State[]): readonly (readonly State[])[] {
  const reachable = new Map(states.map((state) => [state, afterFirstStep(state)]));
  const loops: State[][] = [];
  for (const state of states) {
    if (reachable.get(state)?.has(state) !== true) continue;
    const loop = loops.find(([other]) => other && reachable.get(state)?.has(other) && reachable.get(other)?.has(state));
    if (loop === undefined) loops.push([state]);
    else loop.push(state);
  }
  return loops;
}

function afterFirstStep(state: State): ReadonlySet<State> {
  const seen = new Set(state.next.map(({ to }) => to));
  for (const each of seen) for (const { to } of each.next) seen.add(to);
  return seen;
}
