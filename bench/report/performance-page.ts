import type { FigureRecord } from "../figures/figure-record.ts";
import { toFigureRows } from "../figures/figure-rows.ts";
import type { FiguresFile, FiguresSection } from "./figures-file.ts";
import { toMachineText } from "./machine-class.ts";
import { ratioPlot } from "./ratio-plot.ts";
import { seriesPlot } from "./series-plot.ts";

/** The report: its page, and its pictures by their names. */
export interface PerformanceReport {
  readonly page: string;
  readonly pictures: Readonly<Record<string, string>>;
}

/** Made of the committed figures alone, so that a test can detect an edit by hand. */
export function makeReport({ doors, growth }: FiguresFile): PerformanceReport {
  const series = growth?.series ?? [];
  const drawn = series.map((each) => [`performance-${each.id}.svg`, seriesPlot(each)] as const);
  const ratios = doors === undefined ? [] : [["performance-ratios.svg", ratioPlot(doors.figures)] as const];
  const parts = [
    introduction,
    ...(doors === undefined && growth === undefined ? ["No figures are committed yet."] : []),
    ...(doors === undefined ? [] : [doorsPart(doors)]),
    ...(growth === undefined ? [] : [growthPart(growth)]),
    method,
  ];
  return { page: `${parts.join("\n\n")}\n`, pictures: Object.fromEntries([...ratios, ...drawn]) };
}

const introduction = `<!-- Made by \`npm run bench -- --report\` from bench/figures.json. Do not edit: a test compares them. -->

# Performance

What Caret costs between a client and its agent, with log, redaction and containment on. Every figure is measured in one
run with a *floor*, the least that a server can do, and judged as a ratio to it, since times differ between machines:

- **rawpipe**: a bare Node server that starts the agent for each request and pipes its bytes, untranslated;
- **direct**: a native client that starts the agent and reads its pipe, without a server;
- **node**: \`node -e 0\`.

The agent is a C program that costs next to nothing: the boot of Cursor's own CLI and the time of the model come on top.`;

const method = `## How it is measured

- All servers take turns in every round, so that a busy moment slows them alike; a round before the first is not counted.
  A value is the median of the rounds, with their quartiles in parentheses; a ratio is the median of the rounds' ratios.
- CPU is what \`/proc\` reports for the server and its helpers, without agents and what holds them together.
- Memory is that of the server and of everything it has started. *Resident* counts pages that processes share in each of
  them, as \`ps\` does.
- The load generator is a C program in a process of its own, with one epoll loop and no parsing. The table shows what it
  takes away from the servers: its processor time, and by how much it sent a request late.
- A first token is timed from before the connection is opened to the arrival of the first delta. Each delta holds the time
  at which the agent wrote it: the *latency* is what passed until it arrived.

## How to repeat it

\`\`\`sh
npm run bench                                   # all figures above; exits with 1 when a bar is missed
npm run bench -- --quick                        # three rounds
npm run bench -- --only paced-256 --rounds 9    # one of them
npm run bench -- --target other=http://127.0.0.1:8080
npm run bench -- --check                        # exits with 1 when a ratio is over 20 % worse than the committed one
npm run bench growth                            # with --full: ten million events, ten thousand turns
npm run bench -- --report                       # writes bench/figures.json, this page and its pictures
\`\`\`

You need Linux, a C compiler and a quiet machine. Another gateway must start the agent that the first run leaves in
\`bench/build/stand-in\`; its token is read from \`BENCH_TOKEN_<NAME>\` or \`BENCH_TOKEN\`, and \`--model\` names its model.`;

function doorsPart(section: FiguresSection): string {
  return `## Against the floor

${conditions(section)}

![Caret's ratios to the floor, with the bars they must stay below](pictures/performance-ratios.svg)

${toMarkdownTable(section.figures)}`;
}

function growthPart(section: FiguresSection): string {
  const pictures = section.series.map(({ id, what }) => `![The ${what}](pictures/performance-${id}.svg)`);
  return `## Growth

${conditions(section)}

${toMarkdownTable(section.figures)}

${pictures.join("\n\n")}`;
}

function conditions({ day, machine, rounds }: FiguresSection): string {
  return `Measured on ${day}: ${toMachineText(machine)}. Medians of ${rounds} interleaved rounds (quartiles).`;
}

function toMarkdownTable(figures: readonly FigureRecord[]): string {
  const rows = figures
    .flatMap(toFigureRows)
    .map((cells) => `| ${cells.map((cell) => cell.replace(/^ {2}/, "… ")).join(" | ")} |`);
  return ["| figure | floor | Caret | ratio | bar | |", "|---|---|---|---|---|---|", ...rows].join("\n");
}
