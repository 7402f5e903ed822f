import type { ErrorInfo, SettingsView, SettingView } from "@caret/protocol";
import { type FormEvent, useState } from "react";
import { useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { ErrorNote, toErrorInfo } from "../parts/error-note.tsx";
import { Field, Words } from "../parts/field.tsx";
import { SettingInput } from "./setting-input.tsx";
import { settingText, typedSetting, whyFixed } from "./typed-setting.ts";

interface SettingFormProps {
  readonly setting: SettingView;
  readonly file: string;
  readonly onChange: (view: SettingsView) => void;
}

/** One setting: its value to be changed, what it means and where it comes from. */
export function SettingForm({ setting, file, onChange }: SettingFormProps) {
  const { key, meaning, from } = setting;
  const shown = settingText(setting);
  const [typed, setTyped] = useState(shown);
  const { save, isSaving, error } = useSaving(key, onChange);
  const fixed = whyFixed(setting, file);
  const read = typedSetting(setting, typed);
  const isChanged = typed !== shown;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isChanged && "value" in read) save(read.value);
  };
  return (
    <form className="grid gap-x-6 gap-y-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]" onSubmit={submit}>
      <Field hint={<Words text={meaning} />} label={key}>
        {(ids) => (
          <SettingInput
            {...ids}
            disabled={fixed !== undefined || isSaving}
            onChange={setTyped}
            setting={setting}
            typed={typed}
          />
        )}
      </Field>
      <div className="flex flex-col items-start gap-2 text-[13px] text-soft sm:pt-5">
        <SettingState setting={setting} />
        {fixed !== undefined && (
          <p className="[overflow-wrap:anywhere]">
            <Words text={fixed} />
          </p>
        )}
        {isChanged && "problem" in read && <p className="text-bad">{read.problem}</p>}
        <div className="flex flex-wrap gap-2">
          {isChanged && (
            <Button aria-label={`Save ${key}`} disabled={isSaving || "problem" in read} tone="primary" type="submit">
              Save
            </Button>
          )}
          {from === "file" && setting.inFileOnly !== true && (
            <Button
              aria-label={`Take out of the file: ${key}`}
              disabled={isSaving}
              onClick={() => save(null)}
              tone="quiet"
            >
              Take out of the file
            </Button>
          )}
        </div>
        {error !== undefined && <ErrorNote error={error} />}
      </div>
    </form>
  );
}

function SettingState({ setting }: Pick<SettingFormProps, "setting">) {
  const { source, from, value, secret, live, pending } = setting;
  const set = secret === true && value !== undefined ? "Set, and not shown; from" : "From";
  return (
    <p className="[overflow-wrap:anywhere]">
      {from === "default" ? (value === undefined ? "Not set" : "Default") : `${set} ${source}`}
      {live === true ? " · counts at once" : " · a change needs a restart"}
      {pending === true && <span className="text-warn"> · not in force yet</span>}
    </p>
  );
}

function useSaving(key: string, onChange: (view: SettingsView) => void) {
  const api = useApi();
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<ErrorInfo>();
  const save = (value: unknown): void => {
    setSaving(true);
    setError(undefined);
    api
      .changeSettings({ changes: { [key]: value } })
      .then(onChange, (reason: unknown) => setError(toErrorInfo(reason)))
      .finally(() => setSaving(false));
  };
  return { save, isSaving, error };
}
