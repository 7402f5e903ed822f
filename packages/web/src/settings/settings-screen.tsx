import type { SettingsView, SettingView } from "@caret/protocol";
import { useState } from "react";
import { useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { TextInput } from "../parts/field.tsx";
import { Empty } from "../parts/placeholders.tsx";
import { showToast } from "../parts/toast.tsx";
import { LoadedView, useLoaded } from "../screen/loaded-view.tsx";
import { ScreenFrame } from "../screen/screen-frame.tsx";
import { useCommand } from "../transcript/transcript-actions.ts";
import { SettingForm } from "./setting-form.tsx";
import { groupedSettings } from "./typed-setting.ts";

/** Every setting of the gateway: what it is, where that comes from, and a form that writes it into the user's own file. */
export function SettingsScreen() {
  const api = useApi();
  const [search, setSearch] = useState("");
  const [changed, setChanged] = useState<SettingsView>();
  const loaded = useLoaded("settings", (signal) => api.settings({ signal }));
  const file = (changed ?? loaded.value)?.file;
  return (
    <ScreenFrame
      about={
        <>
          What the gateway runs with, and who set it.
          {file !== undefined && (
            <>
              {" "}
              Changes are written to <code className="font-mono text-[13px] [overflow-wrap:anywhere]">{file}</code>.
            </>
          )}
        </>
      }
      actions={
        <TextInput
          aria-label="Find a setting"
          className="sm:w-56"
          onChange={({ target }) => setSearch(target.value)}
          placeholder="Find a setting"
          type="search"
          value={search}
        />
      }
      title="Settings"
    >
      <LoadedView loaded={loaded} waiting="Reading the settings">
        {(first) => <Settings onChange={setChanged} search={search} view={changed ?? first} />}
      </LoadedView>
    </ScreenFrame>
  );
}

interface SettingsProps {
  readonly view: SettingsView;
  readonly search: string;
  readonly onChange: (view: SettingsView) => void;
}

function Settings({ view, search, onChange }: SettingsProps) {
  const pending = view.settings.filter((setting) => setting.pending === true).length;
  const groups = groupedSettings(view.settings, search);
  return (
    <>
      <p aria-live="polite" className={pending === 0 ? "sr-only" : "mb-4 rounded-md border border-warn/50 px-3 py-2"}>
        {pending > 0 &&
          `${pending === 1 ? "1 setting counts" : `${pending} settings count`} from the next start of the gateway on.`}
      </p>
      {groups.length === 0 && <Empty title="No such setting">No key and no description has these words.</Empty>}
      {groups.map(([group, settings]) => (
        <SettingGroup file={view.file} group={group} key={group} onChange={onChange} settings={settings} />
      ))}
    </>
  );
}

interface SettingGroupProps extends Pick<SettingsProps, "onChange"> {
  readonly group: string;
  readonly settings: readonly SettingView[];
  readonly file: string;
}

function SettingGroup({ group, settings, file, onChange }: SettingGroupProps) {
  return (
    <section aria-labelledby={`settings-${group}`} className="mb-6">
      <h2 className="mb-2 font-semibold text-[15px]" id={`settings-${group}`}>
        {group}
      </h2>
      <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-raised">
        {settings.map((setting) => (
          <li className="px-3 py-3 sm:px-4" key={setting.key}>
            {/* A value that was written is shown as the gateway reads it. */}
            <SettingForm file={file} key={JSON.stringify(setting)} onChange={onChange} setting={setting} />
          </li>
        ))}
      </ul>
      {group === "notify" && <WebhookTest settings={settings} />}
    </section>
  );
}

/** Whether what is set arrives is known only by sending something. */
function WebhookTest({ settings }: Pick<SettingGroupProps, "settings">) {
  const api = useApi();
  const { run, isBusy, failure } = useCommand();
  const url = settings.find(({ key }) => key === "notify.webhook.url");
  if (url?.value === undefined) return null;
  const send = async (): Promise<void> => {
    await api.testWebhook();
    showToast("The webhook took the test");
  };
  return (
    <div className="mt-2 flex flex-wrap items-center gap-2">
      <Button disabled={isBusy} onClick={() => run(send)}>
        {isBusy ? "Sending…" : "Send a test to the webhook"}
      </Button>
      {failure !== undefined && (
        <p className="text-[13px] text-bad" role="alert">
          {failure}
        </p>
      )}
    </div>
  );
}
