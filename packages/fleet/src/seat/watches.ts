import type { Watched, WatchKind } from "./watch-sql.ts";

/** Not a valid mark: readers have not looked yet. */
const UNKNOWN = "?";

interface Group {
  readonly kind: WatchKind;
  readonly id: string;
  readonly looks: Set<(id?: string) => void>;
  mark: string | null;
  /** A hint has woken its readers since the last poll. */
  isHinted: boolean;
}

/** Everything that this process's readers watch, by kind and id. */
export class Watches {
  readonly #groups = new Map<string, Group>();

  add(kind: WatchKind, id: string, look: (id?: string) => void): () => void {
    const key = `${kind} ${id}`;
    const group = this.#groups.get(key) ?? { kind, id, looks: new Set(), mark: UNKNOWN, isHinted: false };
    this.#groups.set(key, group);
    const own = (about?: string): void => look(about);
    group.looks.add(own);
    // Its first look may be older than what the rest of the group has seen.
    group.mark = UNKNOWN;
    return () => {
      group.looks.delete(own);
      if (group.looks.size === 0 && this.#groups.get(key) === group) this.#groups.delete(key);
    };
  }

  /** Calls the readers that a hint concerns; a poll that finds the same change does not call them again. */
  hint(kind: WatchKind, id: string): void {
    const group = this.#groups.get(`${kind} ${id}`);
    if (group !== undefined) group.isHinted = true;
    this.#call(kind, id, id);
    this.#call(kind, "", id);
  }

  call(kind: WatchKind, id: string): void {
    this.#call(kind, id);
  }

  callAll(): void {
    for (const { kind, id } of [...this.#groups.values()]) this.call(kind, id);
  }

  /** What to ask in a poll, and the keys that need no call because a hint came before it. */
  beginPoll(): { readonly watched: readonly Watched[]; readonly hinted: ReadonlySet<string> } {
    const groups = [...this.#groups.entries()];
    const hinted = new Set(groups.flatMap(([key, group]) => (group.isHinted ? [key] : [])));
    for (const [, group] of groups) group.isHinted = false;
    return { watched: groups.map(([, { kind, id, mark }]) => ({ kind, id, mark })), hinted };
  }

  /**
   * A poll found another mark. Readers woken by a hint since the previous poll are not called: they have seen the change, or else the next
   * poll finds it, since the mark stays unknown.
   */
  found({ kind, id, mark }: Watched, hinted: ReadonlySet<string>): void {
    const key = `${kind} ${id}`;
    const group = this.#groups.get(key);
    if (group === undefined) return;
    group.mark = hinted.has(key) ? UNKNOWN : mark;
    if (!hinted.has(key)) this.#call(kind, id);
  }

  #call(kind: WatchKind, id: string, about?: string): void {
    for (const look of [...(this.#groups.get(`${kind} ${id}`)?.looks ?? [])]) look(about);
  }
}
