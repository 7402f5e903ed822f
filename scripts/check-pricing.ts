import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { priceOf, priceTable } from "@caret/protocol";

/**
 * Compares the models that the agent lists with the table of prices, and the vendor's page with what it said when `--keep` was
 * last given. Ends with 1 only when either could not be read: a model without a price is worth knowing, not a failure.
 */
const run = promisify(execFile);
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const PAGE = "https://cursor.com/docs/models-and-pricing";

const { values } = parseArgs({
  options: {
    fixture: { type: "boolean", default: false },
    page: { type: "string", default: PAGE },
    markers: { type: "string", default: here("pricing/markers.json") },
    keep: { type: "boolean", default: false },
  },
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

interface Markers {
  readonly asOf: string;
  /** Of the amounts on the page, in their order. */
  readonly digest: string;
}

/** A page's amounts of money say whether its prices changed; its words and its looks do not. */
function markersOf(html: string): string {
  const text = html.replaceAll(/<(script|style)[\s\S]*?<\/\1>/g, "").replaceAll(/<[^>]*>/g, " ");
  return createHash("sha256")
    .update((text.match(/\$\d+(?:\.\d+)?/g) ?? []).join(" "))
    .digest("hex");
}

async function listedIds(): Promise<readonly string[]> {
  if (values.fixture) return (await readFile(here("pricing/models.txt"), "utf8")).split("\n").filter((id) => id !== "");
  const { stdout } = await run(process.execPath, [
    here("../packages/cli/bin/caret.js"),
    "models",
    "--json",
    "--refresh",
  ]);
  const models: readonly { readonly id: string; readonly variants?: readonly { readonly id: string }[] }[] =
    JSON.parse(stdout);
  return models.flatMap(({ id, variants }) => variants?.map((variant) => variant.id) ?? [id]);
}

async function page(): Promise<string> {
  if (values.fixture) return await readFile(here("pricing/page.html"), "utf8");
  const response = await fetch(values.page, { signal: AbortSignal.timeout(20_000) });
  if (!response.ok) throw new Error(`${values.page} answered ${response.status}`);
  return await response.text();
}

async function checkModels(): Promise<void> {
  const ids = await listedIds();
  const unpriced = ids.filter((id) => priceOf(id) === undefined);
  const used = new Set(ids.map((id) => priceOf(id)));
  const unused = priceTable.filter((row) => !used.has(row));
  say(`models: ${ids.length} listed, ${ids.length - unpriced.length} priced`);
  for (const id of unpriced) say(`  no price: ${id}`);
  for (const { base, fast } of unused) say(`  not listed: ${base}${fast ? " (fast)" : ""}`);
}

/** What was kept of the page; undefined where nothing was yet. */
async function keptMarkers(): Promise<Markers | undefined> {
  try {
    return JSON.parse(await readFile(values.fixture ? here("pricing/fixture-markers.json") : values.markers, "utf8"));
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw reason;
  }
}

async function checkPage(): Promise<void> {
  const kept = await keptMarkers();
  const digest = markersOf(await page());
  if (kept?.digest === digest) return say(`page: its prices are those of ${kept.asOf}`);
  const why = kept === undefined ? "nothing was kept of it yet" : `its prices have changed since ${kept.asOf}`;
  say(`page: warning: ${why}`);
  if (!values.keep)
    return say("  compare it with packages/protocol/src/models/price-table.ts, then run this with --keep");
  const markers: Markers = { asOf: new Date().toISOString().slice(0, 10), digest };
  await writeFile(values.markers, `${JSON.stringify(markers)}\n`);
  say(`  kept in ${values.markers}`);
}

/** What a command printed says more than that it failed, and a cause more than that a fetch did. */
function wordsOf(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  const { cause, message } = reason;
  const said = "stderr" in reason && typeof reason.stderr === "string" ? reason.stderr.trim() : "";
  const words = said || (cause instanceof Error ? `${message}: ${cause.message}` : message);
  return words.split("\n", 1)[0] ?? "";
}

async function attempt(what: string, check: () => Promise<void>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (reason) {
    process.stderr.write(`${what} could not be read: ${wordsOf(reason)}\n`);
    return false;
  }
}

const results = [await attempt("models", checkModels), await attempt("page", checkPage)];
process.exitCode = results.every(Boolean) ? 0 : 1;
