import type { AboutView } from "@caret/protocol";
import { useId } from "react";
import { Field, TextInput } from "../parts/field.tsx";

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
        </>
      )}
    </Field>
  );
}

function hintOf(defaultWorkspace: string | undefined): string {
  const whenEmpty = defaultWorkspace ?? "a new directory of its own";
  return `The directory the agent works in. If empty: ${whenEmpty}.`;
}
