import {
  allTokens,
  costCell,
  groupUsage,
  promptTokens,
  tokenCell,
  totalUsage,
  type UsageGroup,
  type UsageRow,
  type UsageTotals,
} from "@caret/protocol";
import { toUsageDay } from "@caret/runtime";
import { type Command, InvalidArgumentError, Option } from "commander";
import { addConfigFlags } from "../../config/config-flags.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { type LogWork, withLog } from "../../store/log-work.ts";
import { hostLook } from "../../terminal/look.ts";
import { printJson, printLines, write } from "../../terminal/print.ts";
import { tableLines } from "../../terminal/table-lines.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_DAYS = 366;
const BAR_WIDTH = 20;

const groupings = ["day", "model", "session", "client", "user", "lane"] as const;
type Grouping = (typeof groupings)[number];

interface UsageOptions {
  readonly by: Grouping;
  readonly days: number;
  readonly json?: boolean;
}

export function addUsageCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("usage")
    .description("the tokens and the money that turns have used")
    .addOption(new Option("--by <what>", "one row for each of these").choices(groupings).default("day"))
    .option("--days <count>", "how many days back, today included", toDays, 30)
    .option("--json", "print JSON");
  addConfigFlags(command).action(async (options: UsageOptions) =>
    done(await withLog(host, { ...options }, (work) => showUsage(work, options))),
  );
}

async function showUsage({ host, store }: LogWork, { by, days, json }: UsageOptions): Promise<ExitCode> {
  const from = toUsageDay(Date.now() - (days - 1) * DAY_MS);
  const rows = (await store.usageByDay({ from, byClient: by === "client" })).map(({ model = "unknown", ...row }) => ({
    ...row,
    model,
  }));
  const groups = groupUsage(rows, keyOf[by]);
  // Days are sorted chronologically, everything else by usage.
  const shown = by === "day" ? groups.toSorted((one, other) => one.key.localeCompare(other.key)) : groups;
  const total = totalUsage(rows);
  if (json === true) return await printJson(host, { from, by, rows: shown.map(toJson), total });
  if (rows.length === 0) return await printLines(host, [`No turn has reported any usage since ${from}.`]);
  const code = await printLines(host, table(host, by, shown, total));
  await explainUnpriced(host, total);
  return code;
}

const keyOf: Readonly<Record<Grouping, (row: UsageRow) => string>> = {
  day: ({ day }) => day,
  model: ({ model }) => model,
  session: ({ sessionId, title }) => (title === undefined ? sessionId : `${sessionId.slice(0, 8)} ${title}`),
  client: ({ client }) => client ?? "unknown",
  user: ({ user }) => user ?? "nobody",
  lane: ({ lane }) => lane ?? "unknown",
};

function toJson({ key, totals }: UsageGroup) {
  return { key, ...totals };
}

function table(host: Host, by: Grouping, groups: readonly UsageGroup[], total: UsageTotals): readonly string[] {
  const look = hostLook(host);
  const most = Math.max(...groups.map(({ totals }) => allTokens(totals)));
  const bar = ({ totals }: UsageGroup): string =>
    look.isTty && most > 0 ? look.glyphs.bar.repeat(Math.ceil((allTokens(totals) / most) * BAR_WIDTH)) : "";
  const rows = groups.map((group) => [group.key, ...cells(group.totals), bar(group)]);
  const head = [
    { title: by, cut: "end" },
    { title: "turns", align: "right" },
    { title: "in", align: "right" },
    { title: "out", align: "right" },
    { title: "cost", align: "right" },
    { title: "" },
  ] as const;
  return tableLines(head, [...rows, ["total", ...cells(total), ""]], look);
}

function cells(totals: UsageTotals): readonly string[] {
  const { turns, tokens } = totals;
  const hasPrompt = tokens.input !== undefined || tokens.cacheRead !== undefined || tokens.cacheWrite !== undefined;
  return [
    String(turns),
    tokenCell(hasPrompt ? promptTokens(tokens) : undefined),
    tokenCell(tokens.output),
    costCell(totals),
  ];
}

async function explainUnpriced({ stderr }: Host, { unpricedTurns, turns }: UsageTotals): Promise<void> {
  if (unpricedTurns === 0) return;
  const which = turns === 1 ? "the turn" : `${unpricedTurns} of ${turns} turns`;
  await write(stderr, `caret: the price of ${which} is not known; the cost leaves it out\n`);
}

function toDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return days;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_DAYS}.`);
}
