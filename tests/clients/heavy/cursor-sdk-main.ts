import { pathToFileURL } from "node:url";

/** What the official SDK is asked to do, in a process of its own: it reads its addresses when it is loaded. */
export interface SdkJob {
  /** The directory in whose `node_modules` the SDK is. */
  readonly place: string;
  readonly cwd: string;
  readonly prompts: readonly (string | { readonly text: string; readonly images: readonly object[] })[];
  /** Cancels the last run once it has said something. */
  readonly cancels?: boolean;
  /** Says this once the last run has said something. */
  readonly steers?: string;
}

/** What came of it. */
export interface SdkReport {
  readonly results: readonly SdkResult[];
  /** The messages of the runs' streams, by their types: text and thinking joined. */
  readonly said: string;
  readonly thought: string;
  readonly calls: readonly { readonly name: string; readonly status: string }[];
  readonly steered?: string;
}

interface SdkResult {
  readonly status: string;
  readonly result?: string;
  readonly usage?: Readonly<Record<string, number>>;
  readonly error?: { readonly message: string; readonly code?: string };
}

interface SdkMessage {
  readonly type: string;
  readonly text?: string;
  readonly name?: string;
  readonly status?: string;
  readonly message?: { readonly content: readonly { readonly text?: string }[] };
}

interface SdkRun {
  stream(): AsyncIterable<SdkMessage>;
  wait(): Promise<SdkResult>;
  cancel(): Promise<void>;
  steer?(text: string): Promise<string>;
}

interface Sdk {
  readonly Agent: {
    create(options: object): Promise<{ send(message: unknown): Promise<SdkRun> } & AsyncDisposable>;
  };
}

const weather = {
  description: "Tells the weather of a city",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: ({ city }: { readonly city: string }) => `Sunny in ${city}`,
};

/** Reads a run to its end. Once it has said something, the last one is cancelled or steered where the job wants that. */
async function follow(
  run: SdkRun,
  job: SdkJob | undefined,
  onSteered: (outcome: string) => void,
): Promise<SdkMessage[]> {
  const messages: SdkMessage[] = [];
  let hasSpoken = false;
  for await (const message of run.stream()) {
    messages.push(message);
    if (hasSpoken || message.type !== "assistant") continue;
    hasSpoken = true;
    if (job?.cancels === true) await run.cancel();
    if (job?.steers !== undefined) void run.steer?.(job.steers).then(onSteered);
  }
  return messages;
}

async function work(job: SdkJob): Promise<SdkReport> {
  const loader = pathToFileURL(`${job.place}/node_modules/@cursor/sdk/dist/esm/index.js`).href;
  const { Agent } = (await import(loader)) as Sdk;
  const local = { cwd: job.cwd, customTools: { weather } };
  const agent = await Agent.create({ apiKey: "key_sdk", model: { id: "composer-2.5" }, local });
  const results: SdkResult[] = [];
  const messages: SdkMessage[] = [];
  let steered: string | undefined;
  for (const [index, prompt] of job.prompts.entries()) {
    const run = await agent.send(prompt);
    const isLast = index === job.prompts.length - 1;
    messages.push(...(await follow(run, isLast ? job : undefined, (outcome) => (steered = outcome))));
    results.push(toResult(await run.wait()));
  }
  return { ...toReport(messages), results, ...(steered === undefined ? {} : { steered }) };
}

/** The parts of a result that tests compare; ids and times differ from run to run. */
function toResult({ status, result, usage, error }: SdkResult): SdkResult {
  return { status, ...(result === undefined ? {} : { result }), ...(usage && { usage }), ...(error && { error }) };
}

function toReport(messages: readonly SdkMessage[]): Pick<SdkReport, "said" | "thought" | "calls"> {
  const said = messages.flatMap(({ type, message }) => (type === "assistant" ? (message?.content ?? []) : []));
  return {
    said: said.map(({ text = "" }) => text).join(""),
    thought: messages.map(({ type, text = "" }) => (type === "thinking" ? text : "")).join(""),
    calls: messages.flatMap(({ type, name = "", status = "" }) => (type === "tool_call" ? [{ name, status }] : [])),
  };
}

const report = await work(JSON.parse(process.argv[2] ?? "") as SdkJob);
process.stdout.write(`\n${JSON.stringify(report)}\n`, () => process.exit(0));
