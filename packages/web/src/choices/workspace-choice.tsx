import type { AboutView } from "@caret/protocol";
import { useId } from "react";
import { useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { Field, TextInput } from "../parts/field.tsx";
import { shortPath } from "../parts/place-words.ts";
import { showError } from "../parts/toast.tsx";

interface WorkspaceChoiceProps {
  readonly about: AboutView;
  readonly workspace: string;
  readonly onChange: (workspace: string) => void;
}

/** One of the known directories, or any other within those allowed. */
export function WorkspaceChoice({ about, workspace, onChange }: WorkspaceChoiceProps) {
  const listId = useId();
  return (
    <Field hint={hintOf(about.defaultWorkspace)} label="Workspace">
      {(ids) => (
        <>
          <TextInput
            {...ids}
            autoComplete="off"
            className="font-mono"
            list={listId}
            onChange={(event) => onChange(event.target.value)}
            placeholder={about.defaultWorkspace ?? "a new directory"}
            spellCheck={false}
            value={workspace}
          />
          <datalist id={listId}>
            {about.workspaces.map((known) => (
              <option key={known} value={known} />
            ))}
          </datalist>
          <Suggestions about={about} onChange={onChange} workspace={workspace} />
        </>
      )}
    </Field>
  );
}

const MOST_SUGGESTED = 4;

/** Directories that can be taken by one press: those that are known, and a project to try things on. */
function Suggestions({ about, workspace, onChange }: WorkspaceChoiceProps) {
  const api = useApi();
  const known = about.workspaces.filter((path) => path !== workspace).slice(0, MOST_SUGGESTED);
  return (
    <div className="flex flex-wrap gap-1.5 pt-1">
      {known.map((path) => (
        <Button className="max-w-full font-mono" key={path} onClick={() => onChange(path)} title={path}>
          <span className="truncate">{shortPath(path)}</span>
        </Button>
      ))}
      <Button onClick={() => api.makeSampleProject().then(onChange, showError)}>Use a sample project</Button>
    </div>
  );
}

function hintOf(defaultWorkspace: string | undefined): string {
  const whenEmpty = defaultWorkspace ?? "a new directory of its own";
  return `The directory the agent works in. If empty: ${whenEmpty}.`;
}
