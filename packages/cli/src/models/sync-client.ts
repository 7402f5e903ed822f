import { CaretError, type DirectoryModel } from "@caret/protocol";
import type { SettingPath } from "@caret/protocol/recipes";
import { jsoncEditor } from "../install/jsonc-editor.ts";
import type { FoundList } from "./find-client-list.ts";
import { compactModels, directModels } from "./listed-model.ts";
import { planSync, type SyncPlan } from "./plan-sync.ts";

export interface SyncChoices {
  /** One entry for a family, with variants, instead of one for each id. */
  readonly variants: boolean;
  /** Also take away the direct entries that families stand for. */
  readonly compact: boolean;
  readonly dryRun: boolean;
}

export interface Synced extends Omit<SyncPlan, "changes"> {
  readonly client: string;
  readonly file: string;
  readonly changed: boolean;
}

/** Brings a client's list of models up to date with Cursor's. A file in which nothing changes is not written. */
export function syncClient(found: FoundList, models: readonly DirectoryModel[], choices: SyncChoices): Synced {
  const { client, settings, provider, entries, file } = found;
  if (choices.variants && !client.hasVariants)
    throw new CaretError("unsupported", `${client.name} knows no variants of a model`, {
      fix: `Leave out --variants for --client ${client.id}.`,
    });
  const direct = directModels(models);
  const prefix = `${String(provider.at(-1))}/`;
  const mentioned = client.mentions(settings).filter((name) => name.startsWith(prefix));
  const { changes, ...plan } = planSync({
    client,
    wanted: choices.variants ? compactModels(models) : direct,
    listed: new Set(direct.map(({ id }) => id)),
    entries,
    compact: choices.compact,
    mentioned: new Set(mentioned.map((name) => name.slice(prefix.length))),
  });
  const text = applied(found, changes);
  const changed = text !== found.text;
  if (changed && !choices.dryRun) {
    found.drafts.write(file, text);
    found.drafts.commit();
  }
  return { client: client.id, file, changed, ...plan };
}

function applied({ client, list, text }: FoundList, changes: SyncPlan["changes"]): string {
  const { idField } = client;
  const pathOf = (id: string): SettingPath => [...list, idField === undefined ? id : { item: { [idField]: id } }];
  return changes.reduce((before, { id, path, value }) => {
    const at = [...pathOf(id), ...path];
    return value === undefined ? removed(before, at) : jsoncEditor.set(before, at, value).text;
  }, text);
}

/** As if it had been added to an object with nothing in it: brackets that become empty are closed. */
function removed(text: string, path: SettingPath): string {
  return jsoncEditor.undo(text, path, { former: null, depth: path.length - 1, blank: "" });
}
