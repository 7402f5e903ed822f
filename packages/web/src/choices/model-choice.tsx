import { type ModelView, spendWords } from "@caret/protocol";
import { useModels } from "../data/page-hooks.ts";
import { Field, Select } from "../parts/field.tsx";

interface ModelChoiceProps {
  readonly defaultModel: string;
  readonly model: string;
  readonly onChange: (model: string) => void;
}

/** A model, and where it has any, one of its variants of effort, thinking and speed. */
export function ModelChoice({ defaultModel, model, onChange }: ModelChoiceProps) {
  const models = useModels();
  const base = models?.find(({ id, variants }) => id === model || variants.some((variant) => variant.id === model));
  return (
    <>
      <Field hint={models === undefined ? "Loading the models…" : spendHint(model || defaultModel, base)} label="Model">
        {(ids) => (
          <Select {...ids} onChange={(event) => onChange(event.target.value)} value={base?.id ?? model}>
            <option value="">Default ({defaultModel})</option>
            {base === undefined && model !== "" && <option value={model}>{model}</option>}
            {models?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {base !== undefined && base.variants.length > 0 && (
        <VariantChoice base={base} model={model} onChange={onChange} />
      )}
    </>
  );
}

/** What a turn draws from and costs, before it is spent. */
function spendHint(model: string, base: ModelView | undefined): string {
  return spendWords(model, base?.maxMode === true ? { maxMode: true } : {}).join(" · ");
}

interface VariantChoiceProps {
  readonly base: ModelView;
  readonly model: string;
  readonly onChange: (model: string) => void;
}

function VariantChoice({ base, model, onChange }: VariantChoiceProps) {
  return (
    <Field label="Variant">
      {(ids) => (
        <Select {...ids} onChange={(event) => onChange(event.target.value)} value={model}>
          {base.variants.every(({ id }) => id !== base.id) && <option value={base.id}>As it is</option>}
          {base.variants.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
