import type { ModelView } from "@caret/protocol";

/** A model's name with its variant, as people know it; the bare id when the catalogue does not have it. */
export function modelWords(models: readonly ModelView[] | undefined, id: string): string {
  for (const { id: base, name, variants } of models ?? []) {
    if (base === id) return name;
    const variant = variants.find((candidate) => candidate.id === id);
    if (variant !== undefined) return `${name} · ${variant.label}`;
  }
  return id;
}
