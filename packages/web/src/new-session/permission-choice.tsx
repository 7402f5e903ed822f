import { type PermissionWord, permissionWords } from "@caret/protocol";
import { useId } from "react";
import { permissionLabels, permissionMeanings } from "../parts/permission-labels.ts";

interface PermissionChoiceProps {
  readonly chosen: PermissionWord;
  readonly onChoose: (word: PermissionWord) => void;
}

export function PermissionChoice({ chosen, onChoose }: PermissionChoiceProps) {
  const name = useId();
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-[13px] text-soft">What it may do without asking</legend>
      <div className="grid gap-2 sm:grid-cols-2 lg:grid-cols-4">
        {permissionWords.map((word) => (
          <label
            className="flex min-h-10 cursor-pointer flex-col rounded-md border border-line bg-raised px-3 py-2 transition-colors duration-100 hover:border-faint has-checked:border-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
            key={word}
          >
            <span className="flex items-center gap-2 font-medium text-[13px]">
              <input
                checked={chosen === word}
                className="shrink-0 accent-accent"
                name={name}
                onChange={() => onChoose(word)}
                type="radio"
                value={word}
              />
              {permissionLabels[word]}
            </span>
            <span className="text-[12px] text-soft">{permissionMeanings[word]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
