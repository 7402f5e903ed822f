import {
  type ChangeSession,
  type ExportFormat,
  exportFormats,
  type PermissionWord,
  permissionWords,
  type SessionView,
} from "@caret/protocol";
import { useMemo } from "react";
import { useLocation } from "wouter";
import { usePageData } from "../data/page-data-context.tsx";
import { useModels } from "../data/page-hooks.ts";
import { permissionLabels } from "../parts/permission-labels.ts";
import { showError } from "../parts/toast.tsx";
import { modeLabels, modeMeanings, type TurnMode, turnModes } from "../transcript/turn-modes.ts";
import { saveFile } from "../transfer/save-file.ts";
import type { CommandChoice, PromptCommand } from "./prompt-commands.ts";

interface SessionCommandsOptions {
  readonly session: SessionView;
  readonly setMode: (mode: TurnMode) => void;
  /** Absent: nothing runs that could be stopped here. */
  readonly stop: (() => void) | undefined;
}

/** What `/` offers in a session. What it does not know goes to the agent as it is, which has commands of its own. */
export function useSessionCommands({ session, setMode, stop }: SessionCommandsOptions): readonly PromptCommand[] {
  const { api, put } = usePageData();
  const models = useModels();
  const [, go] = useLocation();
  const { id } = session;
  return useMemo(() => {
    const change = (changes: ChangeSession): void => {
      api.changeSession(id, changes).then(put, showError);
    };
    const fork = async (): Promise<void> => {
      const made = await api.forkSession(id, {});
      put(made);
      go(`/s/${made.id}`);
    };
    const modelChoices = models?.flatMap(({ id: model, name, variants }): readonly CommandChoice[] => [
      { value: model, label: name },
      ...variants.filter((own) => own.id !== model).map((own) => ({ value: own.id, label: `${name} · ${own.label}` })),
    ]);
    return [
      ...turnModes.map((mode) => ({ name: mode, hint: modeMeanings[mode], run: () => setMode(mode) })),
      {
        name: "mode",
        hint: "What the next turn is for",
        choices: turnModes.map((mode) => ({ value: mode, label: modeLabels[mode] })),
        run: (mode) => setMode(mode as TurnMode),
      },
      { name: "model", hint: "Choose a model", choices: modelChoices ?? [], run: (model) => change({ model }) },
      {
        name: "permission",
        hint: "What it may do without asking",
        choices: permissionWords.map((word) => ({ value: word, label: permissionLabels[word] })),
        run: (word) => change({ permission: word as PermissionWord }),
      },
      ...(stop === undefined ? [] : [{ name: "stop", hint: "Stop the turn", run: stop }]),
      { name: "fork", hint: "Go on in a copy of this session", run: () => void fork().catch(showError) },
      { name: "changes", hint: "See what has changed in the workspace", run: () => go(`/s/${id}/changes`) },
      { name: "replay", hint: "Play the session again", run: () => go(`/s/${id}/replay`) },
      {
        name: "export",
        hint: "Save the session as a file",
        choices: exportFormats.map((format) => ({ value: format, label: format })),
        run: (format) => void api.exportSession(id, format as ExportFormat).then(saveFile, showError),
      },
      { name: "new", hint: "Start another session", run: () => go("/new") },
    ];
  }, [api, put, models, go, id, setMode, stop]);
}
