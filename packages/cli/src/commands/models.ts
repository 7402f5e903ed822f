import { type DirectoryModel, poolOf, priceOf } from "@caret/protocol";
import type { RuntimeModels } from "@caret/runtime";
import type { Command } from "commander";
import type { ExitCode, Host } from "../host.ts";
import { hostLook } from "../terminal/look.ts";
import { tableLines } from "../terminal/table-lines.ts";
import { addConfigFlags, loadHostConfig } from "./config-flags.ts";
import { printJson, printLines, write } from "./print.ts";
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
    .option("--explain [name]", "which model a name means; without a name: every variant of every model");
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
  if (options.json === true) return await printJson(host, listed.map(withPrice));
  const rows = options.explain === true ? listed.flatMap(variantRows) : listed.map(modelRow);
  return await printLines(host, tableLines(head, rows, hostLook(host)));
}

const head = [
  { title: "model" },
  { title: "name", cut: "end" },
  { title: "variants", align: "right" },
  { title: "in", align: "right" },
  { title: "out", align: "right" },
  { title: "pool" },
  { title: "" },
] as const;

function modelRow({ id, name, variants, isDefault }: DirectoryModel): readonly string[] {
  const count = variants === undefined ? "" : String(variants.length);
  return [id, name, count, ...priceCells(id), poolOf(id), isDefault ? "default" : ""];
}

function variantRows(model: DirectoryModel): readonly (readonly string[])[] {
  const variants = (model.variants ?? []).map(({ id, name }) => [`  ${id}`, name, "", ...priceCells(id), "", ""]);
  return [modelRow(model), ...variants];
}

/** US dollars per million tokens; nothing where the price is not known. */
function priceCells(id: string): readonly string[] {
  const price = priceOf(id);
  return price === undefined ? ["", ""] : [String(price.input), String(price.output)];
}

function withPrice(model: DirectoryModel) {
  const price = priceOf(model.id);
  return { ...model, pool: poolOf(model.id), ...(price === undefined ? {} : { price }) };
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
