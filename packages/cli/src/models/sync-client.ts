import { CaretError, type DirectoryModel } from "@caret/protocol";
import type { SettingPath, SettingValue } from "@caret/protocol/recipes";
import { changeable } from "../install/plan-install.ts";
import type { SettingUndo } from "../install/settings-editor.ts";
import { editorFor } from "../install/settings-editors.ts";
import { type FoundList, itemPath, providerPrefix } from "./find-client-list.ts";
import { compactModels, directModels } from "./listed-model.ts";
import { planSync, type SyncPlan } from "./plan-sync.ts";

export interface SyncChoices {
  /** Write one entry per family, with variants, instead of one per id. */
  readonly variants: boolean;
  /** Also remove the direct entries that families cover. */
  readonly compact: boolean;
  /** Remove entries that a sync wrote and whose models are gone. */
  readonly prune: boolean;
  readonly dryRun: boolean;
}

export interface Synced extends Omit<SyncPlan, "changes"> {
  /** The settings added to a list for all providers, for the installation's receipt. */
  readonly settings: readonly SyncedSetting[];
  readonly client: string;
  readonly file: string;
  readonly changed: boolean;
}

interface SyncedSetting {
  readonly path: SettingPath;
  readonly value: SettingValue;
  readonly undo: SettingUndo;
}

/** Brings a client's list of models up to date with Cursor's. Unchanged files are not written. */
export function syncClient(found: FoundList, models: readonly DirectoryModel[], choices: SyncChoices): Synced {
  const { client, settings, entries, file, common } = found;
  if (choices.variants && !client.hasVariants)
    throw new CaretError("unsupported", `${client.name} knows no variants of a model`, {
      fix: `Leave out --variants for --client ${client.id}.`,
    });
  const direct = directModels(models);
  const prefix = providerPrefix(found);
  const mentioned = client.mentions(settings).filter((name) => name.startsWith(prefix));
  const { changes, ...plan } = planSync({
    client,
    wanted: choices.variants ? compactModels(models) : direct,
    listed: new Set(direct.map(({ id }) => id)),
    entries,
    toEntry: (model) => ({ ...client.toEntry(model), ...common }),
    compact: choices.compact,
    prune: choices.prune,
    mentioned: new Set(mentioned.map((name) => name.slice(prefix.length))),
  });
  const { text, settings: written } = changeable(file, () => applied(found, changes));
  const changed = text !== found.text;
  if (changed && !choices.dryRun) {
    found.drafts.write(file, text);
    found.drafts.commit();
  }
  return { client: client.id, file, changed, ...plan, settings: written };
}

function applied(found: FoundList, changes: SyncPlan["changes"]) {
  const editor = editorFor(found.client.format);
  const settings: SyncedSetting[] = [];
  let { text } = found;
  for (const { id, path, value } of changes) {
    const at = [...itemPath(found, id), ...path];
    if (value === undefined) {
      // Undone as if added to an empty object: brackets that become empty are closed.
      text = editor.undo(text, at, { former: null, depth: at.length - 1, blank: "" });
      continue;
    }
    const changed = editor.set(text, at, value);
    text = changed.text;
    if (path.length === 0 && found.client.common !== undefined) settings.push({ path: at, value, undo: changed.undo });
  }
  return { text, settings };
}
