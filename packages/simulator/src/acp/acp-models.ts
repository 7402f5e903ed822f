import type { CatalogueModel } from "../config/model-catalogue.ts";

/** A model as this mode names it: `base[key=value,…]`. */
export interface AcpModel {
  readonly modelId: string;
  readonly name: string;
  readonly model: CatalogueModel;
}

const efforts: Readonly<Record<string, string>> = {
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  "extra-high": "xhigh",
  max: "max",
};

export function toAcpModels(models: readonly CatalogueModel[]): readonly AcpModel[] {
  return models.map((model) => ({ modelId: toAcpId(model.id), name: model.name, model }));
}

/** `claude-opus-5-thinking-high` is `claude-opus-5[thinking=true,effort=high]`, and `auto` is `default[]`. */
function toAcpId(slug: string): string {
  if (slug === "auto") return "default[]";
  const params: string[] = [];
  let base = slug;
  if (base.endsWith("-fast")) {
    base = base.slice(0, -"-fast".length);
    params.push("fast=true");
  }
  const [effort] = /-(?:extra-high|xhigh|low|medium|high|max)$/.exec(base) ?? [];
  if (effort !== undefined) {
    base = base.slice(0, -effort.length);
    params.unshift(`effort=${efforts[effort.slice(1)]}`);
  }
  if (base.endsWith("-thinking")) {
    base = base.slice(0, -"-thinking".length);
    params.unshift("thinking=true");
  }
  return `${base}[${params.join(",")}]`;
}
