import type { BudgetView, ErrorInfo, SettingsView } from "@caret/protocol";
import { type FormEvent, useState } from "react";
import { useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { ErrorNote, toErrorInfo } from "../parts/error-note.tsx";
import { Field, TextInput } from "../parts/field.tsx";
import { showToast } from "../parts/toast.tsx";
import { whyFixed } from "../settings/typed-setting.ts";
import { budgetChanges, budgetKeys, budgetTexts, scopeWords } from "./budget-words.ts";

interface BudgetFormProps {
  readonly budget: BudgetView;
  readonly onSaved: () => void;
  readonly onCancel: () => void;
}

/** Every budget as a setting of the user's own file. They count at once. */
export function BudgetForm({ budget, onSaved, onCancel }: BudgetFormProps) {
  const api = useApi();
  const before = budgetTexts(budget);
  const [typed, setTyped] = useState(before);
  const [error, setError] = useState<ErrorInfo>();
  const changes = budgetChanges(before, typed);
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (changes === undefined) return;
    api.changeSettings({ changes }).then(
      (view) => {
        for (const why of overruled(view, Object.keys(changes))) showToast(why);
        onSaved();
      },
      (reason: unknown) => setError(toErrorInfo(reason)),
    );
  };
  return (
    <form className="mt-2 flex flex-col gap-3" onSubmit={save}>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        {budgetKeys.map(({ key, scope, unit }) => (
          <Field
            key={key}
            label={`${scope === "day" ? "A day" : scopeWords[scope]}, in ${unit === "usd" ? "$" : unit}`}
          >
            {(ids) => (
              <TextInput
                {...ids}
                inputMode="decimal"
                onChange={({ target }) => setTyped({ ...typed, [key]: target.value })}
                placeholder="no limit"
                value={typed[key] ?? ""}
              />
            )}
          </Field>
        ))}
      </div>
      {changes === undefined && <p className="text-[13px] text-bad">Write numbers, or leave a field empty.</p>}
      {error !== undefined && <ErrorNote error={error} />}
      <div className="flex gap-2">
        <Button disabled={changes === undefined} tone="primary" type="submit">
          Save budgets
        </Button>
        <Button onClick={onCancel} tone="quiet">
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** What was written and does not count, since a flag or a variable sets it. */
function overruled({ settings, file }: SettingsView, keys: readonly string[]): readonly string[] {
  return settings
    .filter(({ key }) => keys.includes(key))
    .map((setting) => whyFixed(setting, file))
    .filter((why) => why !== undefined);
}
