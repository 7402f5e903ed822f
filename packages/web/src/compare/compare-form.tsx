import type { AboutView, ModelView, SandboxWord, StartComparison } from "@caret/protocol";
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { SandboxChoice } from "../choices/sandbox-choice.tsx";
import { WorkspaceChoice } from "../choices/workspace-choice.tsx";
import { useApi, useModels } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { ErrorNote, toErrorInfo } from "../parts/error-note.tsx";
import { Field, TextInput } from "../parts/field.tsx";

interface CompareChoices {
  readonly prompt: string;
  readonly models: readonly string[];
  readonly workspace: string;
  readonly check: string;
  readonly sandbox: SandboxWord | "";
}

/** One prompt, the models that it is for, and how their work is checked. */
export function CompareForm({ about }: { readonly about: AboutView }) {
  const api = useApi();
  const [, navigate] = useLocation();
  const [error, setError] = useState<unknown>();
  const [isStarting, setStarting] = useState(false);
  const [choices, setChoices] = useState<CompareChoices>({
    prompt: "",
    models: [],
    workspace: about.defaultWorkspace ?? "",
    check: "",
    sandbox: "",
  });
  const change = (changes: Partial<CompareChoices>): void => setChoices({ ...choices, ...changes });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setStarting(true);
    api.startComparison(toStartComparison(choices)).then(
      ({ id }) => navigate(`/compare/${id}`),
      (reason: unknown) => {
        setStarting(false);
        setError(reason);
      },
    );
  };
  const isReady = choices.prompt.trim() !== "" && choices.models.length > 1 && choices.workspace.trim() !== "";
  return (
    <form className="flex flex-col gap-4 rounded-lg border border-line bg-panel p-4" onSubmit={submit}>
      <Field label="Prompt">
        {(ids) => (
          <textarea
            {...ids}
            className="min-h-24 w-full rounded-md border border-line bg-raised px-2.5 py-2 text-[16px] text-ink md:text-[14px]"
            onChange={(event) => change({ prompt: event.target.value })}
            value={choices.prompt}
          />
        )}
      </Field>
      <ModelsChoice chosen={choices.models} onChange={(models) => change({ models })} />
      <WorkspaceChoice about={about} onChange={(workspace) => change({ workspace })} workspace={choices.workspace} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field hint="A shell command, run in each worktree afterwards." label="Check">
          {(ids) => (
            <TextInput
              {...ids}
              autoComplete="off"
              className="font-mono"
              onChange={(event) => change({ check: event.target.value })}
              placeholder="npm test"
              spellCheck={false}
              value={choices.check}
            />
          )}
        </Field>
        <SandboxChoice onChange={(sandbox) => change({ sandbox })} sandbox={choices.sandbox} />
      </div>
      {error !== undefined && <ErrorNote error={toErrorInfo(error)} />}
      <div className="flex justify-end">
        <Button disabled={!isReady || isStarting} tone="primary" type="submit">
          Compare
        </Button>
      </div>
    </form>
  );
}

interface ModelsChoiceProps {
  readonly chosen: readonly string[];
  readonly onChange: (models: readonly string[]) => void;
}

function ModelsChoice({ chosen, onChange }: ModelsChoiceProps) {
  const models = useModels();
  const toggle = (id: string): void =>
    onChange(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id]);
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-[13px] text-soft">Models, two to eight</legend>
      <div className="grid max-h-60 gap-1 overflow-y-auto rounded-md border border-line bg-raised p-2 sm:grid-cols-2">
        {models === undefined && <p className="text-faint">Loading the models…</p>}
        {models?.map((model) => (
          <ModelBox isChosen={chosen.includes(model.id)} key={model.id} model={model} onToggle={toggle} />
        ))}
      </div>
    </fieldset>
  );
}

interface ModelBoxProps {
  readonly model: ModelView;
  readonly isChosen: boolean;
  readonly onToggle: (id: string) => void;
}

function ModelBox({ model: { id, name }, isChosen, onToggle }: ModelBoxProps) {
  return (
    <label className="flex min-h-10 min-w-0 items-center gap-2 px-1 text-[13px] md:min-h-7">
      <input
        checked={isChosen}
        className="shrink-0 accent-accent"
        onChange={() => onToggle(id)}
        type="checkbox"
        value={id}
      />
      <span className="truncate">{name}</span>
    </label>
  );
}

function toStartComparison({ prompt, models, workspace, check, sandbox }: CompareChoices): StartComparison {
  return {
    prompt: prompt.trim(),
    models,
    workspace: workspace.trim(),
    ...(check.trim() === "" ? {} : { check: check.trim() }),
    ...(sandbox === "" ? {} : { sandbox }),
  };
}
