import type { SandboxWord } from "@caret/protocol";
import { Field, Select } from "../parts/field.tsx";

interface SandboxChoiceProps {
  /** Empty: the gateway's setting alone counts. */
  readonly sandbox: SandboxWord | "";
  readonly onChange: (word: SandboxWord | "") => void;
}

const labels = {
  on: "On: the workspace, and the machine's network",
  strict: "Strict: the workspace, and chosen hosts",
} as const satisfies Partial<Record<SandboxWord, string>>;

/** What the processes of a turn are walled in by. The gateway's setting may be stricter, and then holds. */
export function SandboxChoice({ sandbox, onChange }: SandboxChoiceProps) {
  return (
    <Field label="Sandbox">
      {(ids) => (
        <Select {...ids} onChange={(event) => onChange(event.target.value as SandboxWord | "")} value={sandbox}>
          <option value="">As the gateway is set up</option>
          {Object.entries(labels).map(([word, label]) => (
            <option key={word} value={word}>
              {label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
