import {
  type ChangeSession,
  type ModelView,
  type PermissionWord,
  permissionWords,
  type SessionView,
  spendWords,
} from "@caret/protocol";
import type { ReactNode } from "react";
import { usePageData } from "../data/page-data-context.tsx";
import { useAbout, useModels } from "../data/page-hooks.ts";
import { permissionLabels } from "../parts/permission-labels.ts";
import { showError } from "../parts/toast.tsx";
import { modeLabels, modeMeanings, type TurnMode, turnModes } from "../transcript/turn-modes.ts";

interface ComposerChoicesProps {
  readonly session: SessionView;
  readonly mode: TurnMode;
  readonly onMode: (mode: TurnMode) => void;
}

/** What the next turn is for, with which model and how freely it works. */
export function ComposerChoices({ session, mode, onMode }: ComposerChoicesProps) {
  const { api, put } = usePageData();
  const models = useModels();
  const about = useAbout();
  const change = (changes: ChangeSession): void => {
    api.changeSession(session.id, changes).then(put, showError);
  };
  const model = session.model ?? about?.defaultModel ?? "";
  return (
    <>
      <Choice label="Mode" isShort value={mode} hint={modeMeanings[mode]} onChange={(word) => onMode(word as TurnMode)}>
        {turnModes.map((word) => (
          <option key={word} value={word}>
            {modeLabels[word]}
          </option>
        ))}
      </Choice>
      <Choice
        label="Model"
        value={model}
        hint={model === "" ? undefined : spendWords(model).join(" · ")}
        onChange={(id) => change({ model: id })}
      >
        {!isListed(models, model) && <option value={model}>{model}</option>}
        {models?.map(modelOptions)}
      </Choice>
      <Choice
        label="Permission"
        value={session.permission}
        onChange={(word) => change({ permission: word as PermissionWord })}
      >
        {permissionWords.map((word) => (
          <option key={word} value={word}>
            {permissionLabels[word]}
          </option>
        ))}
      </Choice>
    </>
  );
}

function isListed(models: readonly ModelView[] | undefined, wanted: string): boolean {
  return (
    models?.some(({ id, variants }) => id === wanted || variants.some((variant) => variant.id === wanted)) ?? false
  );
}

function modelOptions({ id, name, variants }: ModelView): ReactNode {
  return [
    <option key={id} value={id}>
      {name}
    </option>,
    ...variants
      .filter((variant) => variant.id !== id)
      .map((variant) => (
        <option key={variant.id} value={variant.id}>
          {name} · {variant.label}
        </option>
      )),
  ];
}

interface ChoiceProps {
  readonly label: string;
  /** What the choice means for the next turn; shown when it is pointed at. */
  readonly hint?: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: ReactNode;
  /** Its values say what it is, and are always shown whole. */
  readonly isShort?: boolean;
}

function Choice({ label, hint = label, value, onChange, children, isShort = false }: ChoiceProps) {
  return (
    <label
      className={`flex items-center max-md:flex-col max-md:items-stretch ${isShort ? "shrink-0" : "min-w-0 max-md:flex-1 max-md:basis-0"}`}
      title={hint}
    >
      <span
        className={`shrink-0 text-[12px] text-faint max-md:px-1.5 max-md:text-[11px] ${isShort ? "md:sr-only" : ""}`}
      >
        {label}
      </span>
      <select
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="min-h-8 min-w-0 max-w-44 shrink cursor-pointer [field-sizing:content] truncate rounded-md bg-transparent px-1.5 text-[13px] text-soft hover:bg-panel hover:text-ink max-md:min-h-10 max-md:w-full max-md:max-w-none"
      >
        {children}
      </select>
    </label>
  );
}
