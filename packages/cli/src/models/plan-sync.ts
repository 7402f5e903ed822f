import { parseModelSlug } from "@caret/protocol";
import type { SettingValue } from "@caret/protocol/recipes";
import { isSame } from "../config/setting-value.ts";
import { asEntry, type ClientList, type Entry } from "./client-list.ts";
import { variantName } from "./explain-models.ts";
import type { ListedModel } from "./listed-model.ts";

/** One change of the list, by path. Without a value the entry is removed. */
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
  /** Ids of the list that have a price after the sync. */
  readonly priced: readonly string[];
  /** Entries left alone although they differ from what the sync would write, and why. */
  readonly skipped: readonly { readonly id: string; readonly why: string }[];
}

export interface SyncInput {
  readonly client: ClientList;
  /** What the list should contain. */
  readonly wanted: readonly ListedModel[];
  /** All ids Cursor lists, wanted or not. */
  readonly listed: ReadonlySet<string>;
  /** The file's entries by id; those without an id are left out. */
  readonly entries: ReadonlyMap<string, unknown>;
  /** The fields a sync writes for a model. */
  readonly toEntry: ClientList["toEntry"];
  /** Remove direct entries whose ids are covered by a family. */
  readonly compact: boolean;
  /** Remove entries written by a sync whose ids Cursor no longer lists. */
  readonly prune: boolean;
  /** Ids that the file names elsewhere. */
  readonly mentioned: ReadonlySet<string>;
}

type Skipped = SyncPlan["skipped"][number];

/** Computes what a sync changes in a client's list. After applying it, a second plan is empty. */
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

/** Why an entry was made by a person, whatever its key: it is theirs. */
function whyCustom(value: unknown, { idField }: ClientList): string | undefined {
  const entry = asEntry(value);
  if (entry === undefined) return "its value is no object";
  // In a keyed list a field `id` sends another model than the key.
  return idField === undefined && entry["id"] !== undefined ? "it names a model of its own" : undefined;
}

/** Updates field by field, so the user's comments and fields stay. */
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

/** Keeps an existing target, which a person may have chosen; replaces one that cannot run. */
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

/** Whether a sync wrote this variant, judging by its name, and its model is gone. */
function isStaleVariant(id: string, name: string, value: unknown, listed: ReadonlySet<string>): boolean {
  const target = asEntry(value)?.["cursorModel"];
  if (typeof target !== "string" || listed.has(target)) return false;
  const { base, params } = parseModelSlug(target);
  return base === id && variantName(params) === name;
}

/** Entries to remove: only those without the user's content, and not named elsewhere in the file. */
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

/** Why an entry may contain more than a sync wrote. */
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
