import { CharSet } from "refa";
import { type Compiled, compileExpression, type Guard, type Place, type Way } from "./thompson.ts";

/** A place that consumes, for one kind of characters: guards tell these apart, and nothing finer. */
export interface State {
  readonly characters: CharSet;
  readonly limit: number;
  readonly next: Edge[];
  /** The expression ends here if one of these characters follows, or at the end of the text. */
  accepted: CharSet;
  acceptsAtEnd: boolean;
}

export interface Edge {
  readonly to: State;
  /** It can be gone in two ways. */
  isDouble: boolean;
}

export interface Automaton {
  /** The first one consumes nothing. */
  readonly states: readonly State[];
  readonly all: CharSet;
  readonly unknown: string | undefined;
}

/** As many ways without a character are looked at from one place. */
const MAX_WAYS = 20_000;

export function buildAutomaton(source: string, flags: string): Automaton {
  const compiled = compileExpression(source, flags);
  const places = consumingPlaces(compiled.start);
  const kinds = kindsOf(compiled, places);
  const states = new Map<Place, State[]>();
  const stateOf = (characters: CharSet, limit: number): State => ({
    characters,
    limit,
    next: [],
    accepted: CharSet.empty(compiled.all.maximum),
    acceptsAtEnd: false,
  });
  for (const place of places) {
    const parts = kinds.map((kind) => place.consumes?.intersect(kind)).filter((part) => part?.isEmpty === false);
    states.set(
      place,
      parts.map((part) => stateOf(part as CharSet, place.limit)),
    );
  }
  const start = stateOf(CharSet.empty(compiled.all.maximum), Infinity);
  let unknown = compiled.unknown;
  for (const [place, froms] of [[compiled.start, [start]] as const, ...states]) {
    const ways = waysFrom(place);
    if (ways === undefined) unknown = "too many ways without a character";
    for (const from of froms) for (const way of ways ?? []) connect(from, way, states, compiled.all);
  }
  return { states: [start, ...[...states.values()].flat()], all: compiled.all, unknown };
}

function consumingPlaces(start: Place): readonly Place[] {
  const seen = new Set<Place>([start]);
  for (const place of seen) for (const { to } of place.ways) seen.add(to);
  return [...seen].filter(({ consumes }) => consumes !== undefined && !consumes.isEmpty);
}

/** The characters, divided so that a guard lets all of a part pass or none. */
function kindsOf({ start, all }: Compiled, places: readonly Place[]): readonly CharSet[] {
  const guards = [start, ...places].flatMap((place) => guardsFrom(place));
  let kinds: readonly CharSet[] = [all];
  for (const { characters } of guards)
    kinds = kinds.flatMap((kind) =>
      [kind.intersect(characters), kind.without(characters)].filter((part) => !part.isEmpty),
    );
  return kinds;
}

function guardsFrom(place: Place): readonly Guard[] {
  const seen = new Set<Place>();
  const guards: Guard[] = [];
  const visit = (at: Place): void => {
    if (seen.has(at)) return;
    seen.add(at);
    for (const { to, guard } of at.ways) {
      if (guard !== undefined) guards.push(guard);
      if (to.consumes === undefined) visit(to);
    }
  };
  visit(place);
  return guards;
}

interface Passage {
  readonly to: Place;
  readonly guards: readonly Guard[];
}

/** Every way from a place to the next that consume or accept; undefined when there are too many. */
function waysFrom(place: Place): readonly Passage[] | undefined {
  const found: Passage[] = [];
  const path = new Set<Place>();
  const take = (way: Way, guards: readonly Guard[], isSure: boolean): void => {
    if (way.to.consumes === undefined && way.to.accepts === undefined) {
      path.add(way.to);
      visit(way.to, guards, isSure);
      path.delete(way.to);
    } else if (way.to.consumes !== undefined || isSure) found.push({ to: way.to, guards });
  };
  const visit = (at: Place, guards: readonly Guard[], isSure: boolean): void => {
    for (const way of at.ways)
      if (found.length <= MAX_WAYS && !path.has(way.to))
        take(
          way,
          way.guard === undefined ? guards : [...guards, way.guard],
          isSure && way.unsure !== true && way.aside !== true,
        );
  };
  visit(place, [], true);
  return found.length > MAX_WAYS ? undefined : found;
}

function connect(from: State, { to, guards }: Passage, states: Map<Place, State[]>, all: CharSet): void {
  const isStart = from.characters.isEmpty;
  const behind = guards.filter(({ side }) => side === "behind");
  if (!behind.every(({ characters, edge }) => (isStart ? edge : characters.isSupersetOf(from.characters)))) return;
  const ahead = guards.filter(({ side }) => side === "ahead");
  const allowed = ahead.reduce((rest, { characters }) => rest.intersect(characters), all);
  if (to.accepts) {
    from.accepted = from.accepted.union(allowed);
    from.acceptsAtEnd ||= ahead.every(({ edge }) => edge);
    return;
  }
  for (const state of states.get(to) ?? []) if (allowed.isSupersetOf(state.characters)) addEdge(from, state);
}

function addEdge(from: State, to: State): void {
  const known = from.next.find((edge) => edge.to === to);
  if (known === undefined) from.next.push({ to, isDouble: false });
  else known.isDouble = true;
}
