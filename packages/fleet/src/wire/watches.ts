import type { WatchKind } from "./watch-sql.ts";

/** What no mark is: readers have not looked yet. */
const UNKNOWN = "?";

interface Group {
  readonly kind: WatchKind;
  readonly id: string;
  readonly looks: Set<(id?: string) => void>;
  mark: string | null;
}

/** Everything that readers of this process watch, by kind and id. */
export class Watches {
  readonly #groups = new Map<string, Group>();

  add(kind: WatchKind, id: string, look: (id?: string) => void): () => void {
    const key = `${kind} ${id}`;
    const group = this.#groups.get(key) ?? { kind, id, looks: new Set(), mark: UNKNOWN };
    this.#groups.set(key, group);
    const own = (about?: string): void => look(about);
    group.looks.add(own);
    // What it sees first may be older than what the others of the group have seen.
    group.mark = UNKNOWN;
    return () => {
      group.looks.delete(own);
      if (group.looks.size === 0 && this.#groups.get(key) === group) this.#groups.delete(key);
    };
  }

  call(kind: WatchKind, id: string, about?: string): void {
    for (const look of [...(this.#groups.get(`${kind} ${id}`)?.looks ?? [])]) look(about);
  }

  callAll(): void {
    for (const { kind, id } of [...this.#groups.values()]) this.call(kind, id);
  }

  all(): readonly Group[] {
    return [...this.#groups.values()];
  }

  note(kind: WatchKind, id: string, mark: string | null): void {
    const group = this.#groups.get(`${kind} ${id}`);
    if (group !== undefined) group.mark = mark;
  }
}
