import { type DirectoryModel, formatTokens, poolOf, priceOf } from "@caret/protocol";
import type { RuntimeModels } from "@caret/runtime";
import type { Command } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { explainModels } from "../../models/explain-models.ts";
import { hostLook } from "../../terminal/look.ts";
import { printJson, printLines, write } from "../../terminal/print.ts";
import { tableLines } from "../../terminal/table-lines.ts";
import { type ModelWork, withModels } from "./with-models.ts";

interface ModelsOptions {
  readonly json?: boolean;
  readonly refresh?: boolean;
  /** True without a name: explain all. */
  readonly explain?: string | true;
}

export function addModelsCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("models")
    .description("the models that can be asked for")
    .option("--json", "print JSON")
    .option("--refresh", "ask Cursor now, however fresh the kept list is")
    .option("--explain [name]", "which model a name means; without a name: why models are grouped as they are");
  addConfigFlags(command).action(async (options: ModelsOptions) => done(await models(host, options)));
}

async function models(host: Host, options: ModelsOptions): Promise<ExitCode> {
  const { config } = loadHostConfig(host, { ...options });
  const complain = ({ message }: Error): void => void write(host.stderr, `caret: ${message}\n`);
  return await withModels(host, config, (work) => show(host, work, options), complain);
}

async function show(host: Host, work: ModelWork, options: ModelsOptions): Promise<ExitCode> {
  const { directory, lane, isBusy } = work;
  const listed = options.refresh === true ? await directory.refresh() : await directory.list();
  if (lane === "sim") await write(host.stderr, "caret: these are the simulator's models\n");
  if (isBusy && listed.length === 0)
    await write(host.stderr, "caret: no list is kept, and the agent is not asked for one while a turn runs\n");
  if (typeof options.explain === "string") return await explain(host, directory, options.explain, options);
  if (options.explain === true) return await explainAll(host, listed, options);
  if (options.json === true) return await printJson(host, listed.map(withPrice));
  return await printLines(host, tableLines(head, listed.map(modelRow), hostLook(host)));
}

const priceHead = [
  { title: "in", align: "right" },
  { title: "out", align: "right" },
  { title: "cache read", align: "right" },
  { title: "cache write", align: "right" },
  { title: "long prompt" },
] as const;

const head = [
  { title: "model" },
  { title: "name", cut: "end" },
  { title: "variants", align: "right" },
  ...priceHead,
  { title: "context", align: "right" },
  { title: "pool" },
  { title: "" },
] as const;

/** A model is priced by what its own id runs: a family's id need not be listed. */
function modelRow(model: DirectoryModel): readonly string[] {
  const { id, name, variants, defaultVariant = id, contextTokens, maxMode, isDefault } = model;
  const count = variants === undefined ? "" : String(variants.length);
  const context = contextTokens === undefined ? "" : formatTokens(contextTokens);
  const marks = [isDefault ? "default" : "", maxMode === true ? "Max mode" : ""].filter((mark) => mark !== "");
  return [id, name, count, ...priceCells(defaultVariant), context, poolOf(id), marks.join(", ")];
}

/** US dollars per million tokens; empty if the price is unknown. */
function priceCells(id: string): readonly string[] {
  const price = priceOf(id);
  if (price === undefined) return ["", "", "", "", ""];
  const { input, output, cacheRead, cacheWrite, longPrompt } = price;
  const long = longPrompt && `${longPrompt.input}/${longPrompt.output} over ${formatTokens(longPrompt.above)}`;
  return [input, output, cacheRead, cacheWrite, long].map((figure) => (figure === undefined ? "" : String(figure)));
}

function withPrice(model: DirectoryModel) {
  const { id, defaultVariant = id } = model;
  return { ...model, pool: poolOf(id), ...priced(defaultVariant) };
}

function priced(id: string) {
  const price = priceOf(id);
  return price === undefined ? {} : { price };
}

async function explainAll(host: Host, listed: readonly DirectoryModel[], { json }: ModelsOptions): Promise<ExitCode> {
  const { families, direct } = explainModels(listed);
  if (json === true)
    return await printJson(host, {
      families: families.map(({ variants, ...family }) => ({
        ...family,
        variants: variants.map((variant) => ({ ...variant, ...priced(variant.id) })),
      })),
      direct: direct.map((model) => ({ ...model, ...priced(model.id) })),
    });
  const columns = [{ title: "model" }, { title: "runs" }, ...priceHead, { title: "why", cut: "end" }] as const;
  const rows = [
    ...families.flatMap(({ id, target, why, variants }) => [
      [id, target, ...priceCells(target), why],
      ...variants.map((variant) => [`- ${variant.variant}`, variant.id, ...priceCells(variant.id), ""]),
    ]),
    ...direct.map(({ id, why }) => [id, id, ...priceCells(id), why]),
  ];
  return await printLines(host, tableLines(columns, rows, hostLook(host)));
}

async function explain(host: Host, directory: RuntimeModels, name: string, options: ModelsOptions): Promise<ExitCode> {
  const requested = { model: name, cursorModel: undefined, effort: undefined, thinking: undefined };
  const { id, base, params } = await directory.explain(requested);
  if (options.json === true) return await printJson(host, { name, id, base, params });
  const said = Object.entries(params).map(([key, value]) => `${key}=${value}`);
  return await printLines(host, [
    `${name} means ${id}`,
    ...(said.length === 0 ? [] : [`  ${base}: ${said.join(", ")}`]),
  ]);
}
