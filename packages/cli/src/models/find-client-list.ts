import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import type { SettingPath } from "@caret/protocol/recipes";
import { valueAt } from "../config/setting-value.ts";
import type { Host } from "../host/host.ts";
import { FileDrafts } from "../install/file-drafts.ts";
import { parseSettings } from "../install/settings-editors.ts";
import { asEntry, type ClientList, type Entry, type WrittenEntry } from "./client-list.ts";
import { ownEntries } from "./common-lists.ts";

/** A client's list of models as found in a file. */
export interface FoundList {
  readonly client: ClientList;
  readonly file: string;
  readonly text: string;
  /** Includes the file as it was read. */
  readonly drafts: FileDrafts;
  readonly settings: Entry;
  /** Path of our provider's object; in a shared list, of our first entry. */
  readonly provider: SettingPath;
  readonly list: readonly string[];
  /** The fields all our entries have, in a shared list. */
  readonly common: WrittenEntry;
  /** Entries in order; one without an id is keyed by its position. */
  readonly entries: ReadonlyMap<string, unknown>;
}

/** Where a client may keep its settings, most specific first. */
function candidates({ env, home, cwd }: Host, id: string): readonly string[] {
  const settings = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const inDirectory = (directory: string, ...names: readonly string[]) => names.map((name) => join(directory, name));
  switch (id) {
    case "opencode":
      return [
        ...(env["OPENCODE_CONFIG"] ? [env["OPENCODE_CONFIG"]] : []),
        ...inDirectory(cwd, "opencode.jsonc", "opencode.json"),
        ...inDirectory(join(settings, "opencode"), "opencode.jsonc", "opencode.json", "config.json"),
      ];
    case "kilo":
      return [
        ...inDirectory(cwd, "kilo.jsonc", "kilo.json"),
        ...inDirectory(join(settings, "kilo"), "kilo.jsonc", "kilo.json"),
      ];
    case "continue":
      return [join(env["CONTINUE_GLOBAL_DIR"] || join(home, ".continue"), "config.yaml")];
    case "droid":
      return [join(home, ".factory", "settings.json")];
    case "pi":
      return [join(env["PI_CODING_AGENT_DIR"] || join(home, ".pi", "agent"), "models.json")];
    default:
      return [join(settings, id, "settings.json")];
  }
}

/** The client's first file that contains our provider, or undefined. Throws if a file does not parse. */
export function findClientList(host: Host, client: ClientList, named?: string): FoundList | undefined {
  for (const path of named === undefined ? candidates(host, client.id) : [named]) {
    const drafts = new FileDrafts();
    const text = drafts.read(path);
    const found = text === undefined ? undefined : readList({ file: path, text, drafts }, client);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readList(file: Pick<FoundList, "file" | "text" | "drafts">, client: ClientList): FoundList | undefined {
  const settings = asEntry(parsed(file, client)) ?? {};
  if (client.common !== undefined) return readCommonList({ ...file, client, settings }, client.common);
  const place = client.places.find(({ provider }) => asEntry(valueAt(settings, provider)) !== undefined);
  if (place === undefined) return undefined;
  const list = [...place.provider, place.list];
  const entries = toEntries(valueAt(settings, list), client);
  return { ...file, client, settings, provider: place.provider, list, common: {}, entries };
}

/** The entries of a shared list that hold a Caret token; undefined if there are none. */
function readCommonList(
  found: Pick<FoundList, "file" | "text" | "drafts" | "client" | "settings">,
  fields: readonly string[],
): FoundList | undefined {
  const { client, settings } = found;
  const list = client.places.map((place) => place.list);
  const own = ownEntries(valueAt(settings, list));
  const [first] = own;
  if (first === undefined) return undefined;
  const common = Object.fromEntries(Object.entries(first).filter(([field]) => fields.includes(field))) as WrittenEntry;
  const provider = itemPath({ client, list, common }, String(first[client.idField ?? ""]));
  return { ...found, provider, list, common, entries: toEntries(own, client) };
}

/** Path of a model's entry. In a shared list the address distinguishes it from another provider's model of that name. */
export function itemPath(
  { client, list, common }: Pick<FoundList, "client" | "list" | "common">,
  id: string,
): SettingPath {
  const { idField, urlFields } = client;
  if (idField === undefined) return [...list, id];
  const address = Object.fromEntries(
    urlFields.flatMap(([field]) =>
      typeof field === "string" && field in common ? [[field, String(common[field])]] : [],
    ),
  );
  return [...list, { item: { [idField]: id, ...address } }];
}

/** Prefix of a model's id where the file names it elsewhere. */
export function providerPrefix({ provider }: Pick<FoundList, "provider">): string {
  const last = provider.at(-1);
  return `${typeof last === "string" ? last : "caret"}/`;
}

function parsed({ file, text }: Pick<FoundList, "file" | "text">, { format }: ClientList): unknown {
  try {
    return parseSettings(format, text);
  } catch (reason) {
    const why = reason instanceof Error ? reason.message : String(reason);
    throw new CaretError("invalid-config", `${file}: ${why}`, { fix: "Correct the file; it was left as it is." });
  }
}

function toEntries(value: unknown, { idField }: ClientList): ReadonlyMap<string, unknown> {
  if (idField === undefined) return new Map(Object.entries(asEntry(value) ?? {}));
  const elements: readonly unknown[] = Array.isArray(value) ? value : [];
  const named = elements.map(
    (element, index) => [String(asEntry(element)?.[idField] ?? `#${index}`), element] as const,
  );
  // If two have the same id, the first wins; it is also the one that is changed.
  return new Map([...named, ...named.toReversed()]);
}
