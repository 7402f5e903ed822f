import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import type { Host } from "../host.ts";
import { FileDrafts } from "../install/file-drafts.ts";
import { valueAt } from "../install/setting-value.ts";
import { parseSettings } from "../install/settings-editors.ts";
import { asEntry, type ClientList, type Entry } from "./client-list.ts";

/** A client's list of models, as it stands in a file. */
export interface FoundList {
  readonly client: ClientList;
  readonly file: string;
  readonly text: string;
  /** With the file as it was read. */
  readonly drafts: FileDrafts;
  readonly settings: Entry;
  /** The object of our provider. */
  readonly provider: readonly string[];
  readonly list: readonly string[];
  /** Entries in their order; what has no id has an id of its place. */
  readonly entries: ReadonlyMap<string, unknown>;
}

/** Where a client keeps its settings, the most particular first. */
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
    case "pi":
      return [join(env["PI_CODING_AGENT_DIR"] || join(home, ".pi", "agent"), "models.json")];
    default:
      return [join(settings, id, "settings.json")];
  }
}

/** The first file of the client in which our provider stands; undefined when none has it. Throws for one that does not parse. */
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
  const settings = asEntry(parsed(file)) ?? {};
  const place = client.places.find(({ provider }) => asEntry(valueAt(settings, provider)) !== undefined);
  if (place === undefined) return undefined;
  const list = [...place.provider, place.list];
  const entries = toEntries(valueAt(settings, list), client);
  return { ...file, client, settings, provider: place.provider, list, entries };
}

function parsed({ file, text }: Pick<FoundList, "file" | "text">): unknown {
  try {
    return parseSettings("jsonc", text);
  } catch (reason) {
    const why = reason instanceof Error ? reason.message : String(reason);
    throw new CaretError("invalid-config", `${file}: ${why}`, { fix: "Correct the file; it was left as it is." });
  }
}

function toEntries(value: unknown, { idField }: ClientList): ReadonlyMap<string, unknown> {
  if (idField === undefined) return new Map(Object.entries(asEntry(value) ?? {}));
  const elements: readonly unknown[] = Array.isArray(value) ? value : [];
  return new Map(elements.map((element, index) => [String(asEntry(element)?.[idField] ?? `#${index}`), element]));
}
