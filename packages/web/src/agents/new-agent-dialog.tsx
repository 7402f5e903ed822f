import {
  type AboutView,
  type CreateAgent,
  type PermissionWord,
  permissionWords,
  type SandboxWord,
} from "@caret/protocol";
import { type FormEvent, useId, useState } from "react";
import { ModelChoice } from "../choices/model-choice.tsx";
import { SandboxChoice } from "../choices/sandbox-choice.tsx";
import { WorkspaceChoice } from "../choices/workspace-choice.tsx";
import { useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ErrorNote, toErrorInfo } from "../parts/error-note.tsx";
import { Field, Select, TextInput } from "../parts/field.tsx";
import { permissionLabels } from "../parts/permission-labels.ts";

interface NewAgentDialogProps {
  readonly about: AboutView;
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

interface AgentChoices {
  readonly name: string;
  readonly workspace: string;
  readonly isWorktree: boolean;
  readonly model: string;
  readonly permission: PermissionWord;
  readonly sandbox: SandboxWord | "";
}

/** Names a new agent and says where it works. */
export function NewAgentDialog({ about, onCreated, onClose }: NewAgentDialogProps) {
  const api = useApi();
  const formId = useId();
  const [error, setError] = useState<unknown>();
  const [choices, setChoices] = useState<AgentChoices>({
    name: "",
    workspace: about.defaultWorkspace ?? "",
    isWorktree: false,
    model: "",
    permission: about.defaultPermission,
    sandbox: "",
  });
  const create = async (): Promise<void> => {
    await api.createAgent(toCreateAgent(choices));
    onCreated();
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create().catch(setError);
  };
  return (
    <Dialog
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button disabled={choices.name.trim() === ""} form={formId} tone="primary" type="submit">
            Create
          </Button>
        </>
      }
      isWide
      onClose={onClose}
      title="New agent"
    >
      <form className="flex flex-col gap-4" id={formId} onSubmit={submit}>
        <Choices about={about} choices={choices} onChange={(changes) => setChoices({ ...choices, ...changes })} />
        {error !== undefined && <ErrorNote error={toErrorInfo(error)} />}
      </form>
    </Dialog>
  );
}

interface ChoicesProps {
  readonly about: AboutView;
  readonly choices: AgentChoices;
  readonly onChange: (changes: Partial<AgentChoices>) => void;
}

function Choices({ about, choices, onChange }: ChoicesProps) {
  const { name, workspace, isWorktree, model, permission, sandbox } = choices;
  return (
    <>
      <Field hint="Small letters, digits and hyphens." label="Name">
        {(ids) => (
          <TextInput
            {...ids}
            autoComplete="off"
            maxLength={40}
            onChange={(event) => onChange({ name: event.target.value })}
            value={name}
          />
        )}
      </Field>
      <WorkspaceChoice about={about} onChange={(path) => onChange({ workspace: path })} workspace={workspace} />
      <label className="flex min-h-10 items-center gap-2 text-[13px] md:min-h-8">
        <input
          checked={isWorktree}
          className="accent-accent"
          onChange={(event) => onChange({ isWorktree: event.target.checked })}
          type="checkbox"
        />
        Work in a Git worktree of it, on a branch of its own, to be merged later
      </label>
      <div className="grid gap-4 sm:grid-cols-2">
        <ModelChoice defaultModel={about.defaultModel} model={model} onChange={(id) => onChange({ model: id })} />
        <Field label="What it may do without asking">
          {(ids) => (
            <Select
              {...ids}
              onChange={(event) => onChange({ permission: event.target.value as PermissionWord })}
              value={permission}
            >
              {permissionWords.map((word) => (
                <option key={word} value={word}>
                  {permissionLabels[word]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <SandboxChoice onChange={(word) => onChange({ sandbox: word })} sandbox={sandbox} />
      </div>
    </>
  );
}

function toCreateAgent({ name, workspace, isWorktree, model, permission, sandbox }: AgentChoices): CreateAgent {
  const place = workspace.trim();
  return {
    name: name.trim(),
    ...(place === "" ? {} : isWorktree ? { worktree: place } : { workspace: place }),
    ...(model === "" ? {} : { model }),
    ...(sandbox === "" ? {} : { sandbox }),
    permission,
  };
}
