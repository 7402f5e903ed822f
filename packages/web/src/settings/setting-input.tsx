import type { SettingView } from "@caret/protocol";
import { Select, TextArea, TextInput } from "../parts/field.tsx";

interface SettingInputProps {
  readonly id: string;
  readonly "aria-describedby"?: string;
  readonly setting: SettingView;
  readonly typed: string;
  readonly disabled: boolean;
  readonly onChange: (typed: string) => void;
}

/** What fits the kind of a setting: a choice, lines, JSON, or one line. */
export function SettingInput({ setting, typed, onChange, ...rest }: SettingInputProps) {
  const { kind, choices = ["true", "false"], secret } = setting;
  const change = ({ target }: { readonly target: { readonly value: string } }): void => onChange(target.value);
  const common = { ...rest, value: typed, onChange: change };
  if (kind === "choice" || kind === "flag")
    return (
      <Select {...common}>
        {typed === "" && <option value="">not set</option>}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </Select>
    );
  if (kind === "list" || kind === "json")
    return (
      <TextArea
        {...common}
        className="font-mono"
        placeholder={kind === "list" ? "One on each line" : "JSON"}
        rows={2}
      />
    );
  return (
    <TextInput
      {...common}
      autoComplete="off"
      inputMode={kind === "number" ? "decimal" : "text"}
      placeholder={secret === true ? "A new value" : "not set"}
      type={secret === true ? "password" : "text"}
    />
  );
}
