import { parseModelSlug } from "@caret/protocol";
import type { SettingValue } from "@caret/protocol/recipes";
import { isSame } from "../config/setting-value.ts";
import { asEntry, type ClientList, type Entry } from "./client-list.ts";
import { variantName } from "./explain-models.ts";
import type { ListedModel } from "./listed-model.ts";

/** One change of the list, by its place in it. Without a value: it goes. */
export interface SyncChange {
  readonly id: string;
  readonly path: readonly string[];
  readonly value?: SettingValue;
}

export interface SyncPlan {
  readonly changes: readonly SyncChange[];
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  /** Those of the list that have a price after the sync. */
  readonly priced: readonly string[];
  /** What was left as it is though the sync has something to say of it, and why. */
  readonly skipped: readonly { readonly id: string; readonly why: string }[];
}

export interface SyncInput {
  readonly client: ClientList;
  /** What the list should name. */
  readonly wanted: readonly ListedModel[];
  /** Ids that Cursor lists, whether they are wanted or not. */
  readonly listed: ReadonlySet<string>;
  /** The entries of the file, by id; what stands there that has no id is not among them. */
  readonly entries: ReadonlyMap<string, unknown>;
  /** What a sync writes of a model. */
  readonly toEntry: ClientList["toEntry"];
  /** Take away direct entries of ids that a family stands for. */
  readonly compact: boolean;
  /** Take away entries that a sync wrote, of ids that Cursor does not list any more. */
  readonly prune: boolean;
  /** Ids that the file names elsewhere. */
  readonly mentioned: ReadonlySet<string>;
}

type Skipped = SyncPlan["skipped"][number];

/** What a sync changes in a client's list. Applied, the same again is an empty plan. */
export function planSync(input: SyncInput): SyncPlan {
  const { wanted, entries, client, toEntry } = input;
  const changes: SyncChange[] = [];
  const skipped: Skipped[] = [];
  const added: string[] = [];
  for (const model of wanted) {
    const { id } = model;
    if (!entries.has(id)) {
      added.push(id);
      changes.push({ id, path: [], value: toEntry(model) });
      continue;
    }
    const why = whyCustom(entries.get(id), client);
    if (why === undefined) changes.push(...updates(model, asEntry(entries.get(id)) ?? {}, input));
    else skipped.push({ id, why });
  }
  const updated = [...new Set(changes.map(({ id }) => id))].filter((id) => !added.includes(id));
  const unlisted = [...entries.keys()].filter((id) => !isKnown(id, input));
  const gone = removals(input, unlisted);
  return {
    changes: [...changes, ...gone.removed.map((id) => ({ id, path: [] }))],
    added,
    updated,
    removed: gone.removed,
    priced: wanted.filter(({ price }) => price !== undefined).map(({ id }) => id),
    skipped: [...skipped, ...gone.kept],
  };
}

function isKnown(id: string, { wanted, listed }: SyncInput): boolean {
  return listed.has(id) || wanted.some((model) => model.id === id);
}

/** An entry that a person made: it is theirs, whatever its key is. */
function whyCustom(value: unknown, { idField }: ClientList): string | undefined {
  const entry = asEntry(value);
  if (entry === undefined) return "its value is no object";
  // In a list by keys a field `id` sends another model than the key says.
  return idField === undefined && entry["id"] !== undefined ? "it names a model of its own" : undefined;
}

/** Field by field, so that comments and fields of the user's stay. */
function updates(model: ListedModel, entry: Entry, { client, listed, toEntry }: SyncInput): readonly SyncChange[] {
  const { id } = model;
  const { options: _target, variants: _variants, ...plain } = toEntry(model);
  const fields = Object.entries(plain)
    .filter(([key, value]) => (client.once.includes(key) ? entry[key] === undefined : !isSame(entry[key], value)))
    .map(([key, value]) => ({ id, path: [key], value }));
  if (model.family === undefined) return fields;
  return [
    ...fields,
    ...targetUpdate(model.id, model.family.target, entry, listed),
    ...variantUpdates(id, asEntry(entry["variants"]) ?? {}, model.family.variants, listed),
  ];
}

/** A target that exists was perhaps chosen by a person; one that does not cannot be run. */
function targetUpdate(id: string, target: string, entry: Entry, listed: ReadonlySet<string>): readonly SyncChange[] {
  const present = asEntry(entry["options"])?.["cursorModel"];
  if (typeof present === "string" && listed.has(present)) return [];
  return [{ id, path: ["options", "cursorModel"], value: target }];
}

function variantUpdates(
  id: string,
  present: Entry,
  wanted: ReadonlyMap<string, string>,
  listed: ReadonlySet<string>,
): readonly SyncChange[] {
  const set = [...wanted]
    .filter(([name, target]) => asEntry(present[name])?.["cursorModel"] !== target)
    .map(([name, target]) => ({ id, path: ["variants", name, "cursorModel"], value: target }));
  const stale = Object.entries(present)
    .filter(([name, value]) => !wanted.has(name) && isStaleVariant(id, name, value, listed))
    .map(([name]) => ({ id, path: ["variants", name] }));
  return [...set, ...stale];
}

/** One that a sync wrote, by its name, and whose model is gone. */
function isStaleVariant(id: string, name: string, value: unknown, listed: ReadonlySet<string>): boolean {
  const target = asEntry(value)?.["cursorModel"];
  if (typeof target !== "string" || listed.has(target)) return false;
  const { base, params } = parseModelSlug(target);
  return base === id && variantName(params) === name;
}

/** Entries that go: only those with nothing of the user's in them, and that nothing else in the file names. */
function removals(input: SyncInput, unlisted: readonly string[]): Removals {
  const { compact, wanted, entries, client, prune } = input;
  const folded = wanted.flatMap(({ id, family }) =>
    family === undefined ? [] : [...family.variants.values(), family.target].filter((variant) => variant !== id),
  );
  const present = compact ? [...new Set(folded)].filter((id) => entries.has(id)) : [];
  const plain = ["cost", ...client.once, ...(client.common ?? []), client.idField];
  const foldedAway = divided(present, (id) => whyKept(id, input, plain));
  if (!prune)
    return {
      ...foldedAway,
      kept: [...foldedAway.kept, ...unlisted.map((id) => ({ id, why: "not listed by Cursor" }))],
    };
  const pruned = divided(unlisted, (id) => {
    const why = whyKept(id, input, [...plain, "options", "variants"]) ?? whyUnnamed(id, input);
    return why === undefined ? undefined : `not listed by Cursor, but ${why}`;
  });
  return { removed: [...foldedAway.removed, ...pruned.removed], kept: [...foldedAway.kept, ...pruned.kept] };
}

interface Removals {
  readonly removed: readonly string[];
  readonly kept: readonly Skipped[];
}

function divided(ids: readonly string[], why: (id: string) => string | undefined): Removals {
  const kept = ids.flatMap((id) => {
    const reason = why(id);
    return reason === undefined ? [] : [{ id, why: reason }];
  });
  return { removed: ids.filter((id) => why(id) === undefined), kept };
}

/** Why an entry is perhaps not a sync's alone. */
function whyKept(
  id: string,
  { entries, mentioned }: SyncInput,
  written: readonly (string | undefined)[],
): string | undefined {
  if (mentioned.has(id)) return "the file names it elsewhere";
  const fields = Object.keys(asEntry(entries.get(id)) ?? { custom: true });
  const own = fields.find((field) => !written.includes(field));
  return own === undefined ? undefined : `it has a field of its own: ${own}`;
}

function whyUnnamed(id: string, { entries, client }: SyncInput): string | undefined {
  const [name = ""] = client.once;
  return name in (asEntry(entries.get(id)) ?? {}) ? undefined : `it has no ${name}, which a sync writes`;
}
