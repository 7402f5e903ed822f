import { startUpstream } from "@caret/simulator/upstream";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { GatewayProcess } from "../clients/gateway-process.ts";
import { FleetHome, type WorkerProcess } from "./fleet-home.ts";

/** The agent knows a word only from what it is sent: from its prompt, where its chat is lost. */
const scenario = {
  turns: [
    {
      when: String.raw`Remember the word (?<word>\w+)[\s\S]*Which word\?`,
      steps: [{ text: "It was {{word}}." }],
    },
    { when: String.raw`Remember the word (?<word>\w+)`, steps: [{ text: "I keep {{word}}." }] },
    { when: String.raw`Which word\?`, steps: [{ text: "I was sent no word." }] },
  ],
};

/** Machines that come and go, and two gateways. */
let fleet: FleetHome;
let workers: Map<string, WorkerProcess>;
let gateways: readonly GatewayProcess[];
let [ann, ben] = ["", ""];
beforeAll(async () => {
  fleet = await FleetHome.open(scenario);
  workers = new Map();
  await start("laptop");
  gateways = await Promise.all([fleet.gateway("one"), fleet.gateway("other")]);
  [ann, ben] = await Promise.all([fleet.token("ann", "--user", "ann"), fleet.token("ben", "--user", "ben")]);
});
afterAll(() => fleet.remove());

async function start(machine: string, env: Readonly<Record<string, string>> = {}, lane = "sim"): Promise<void> {
  workers.set(machine, await fleet.worker(machine, { CARET_FLEET_MACHINE: machine, ...env }, lane));
}

async function stop(machine: string, signal: NodeJS.Signals): Promise<void> {
  const worker = workers.get(machine);
  worker?.kill(signal);
  await worker?.exited;
}

interface Answer {
  readonly session: string | null;
  readonly text: string;
}

interface Message {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** A client of the stateless door: it sends all that was said, to whichever gateway. */
class Conversation {
  readonly #token: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #messages: Message[] = [];

  constructor(token: string, headers: Readonly<Record<string, string>> = {}) {
    this.#token = token;
    this.#headers = headers;
  }

  async ask(content: string, gateway: 0 | 1): Promise<Answer> {
    this.#messages.push({ role: "user", content });
    const response = await fetch(new URL("/v1/chat/completions", gateways[gateway]?.url), {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#token}`,
        "content-type": "application/json",
        ...this.#headers,
      },
      body: JSON.stringify({ model: "auto", messages: this.#messages }),
    });
    const body = (await response.json()) as { readonly choices?: readonly [{ readonly message: Message }] };
    const message = body.choices?.[0].message;
    if (message === undefined) throw new Error(`No answer: ${JSON.stringify(body)}`);
    this.#messages.push({ role: "assistant", content: message.content });
    return { session: response.headers.get("x-caret-session"), text: message.content };
  }
}

async function noticesOf(sessionId: string): Promise<readonly string[]> {
  const sql = `select data from caret.events where session_id = '${sessionId}' order by seq`;
  const lines = fleet.server.run("psql", ["-d", "caret_fleet", "-Atc", sql]).trim().split("\n");
  const events = lines.map((line) => JSON.parse(line) as { readonly type: string; readonly kind?: string });
  return events.flatMap(({ type, kind = "" }) => (type === "notice" ? [kind] : []));
}

it("conversations go on in their own sessions on another machine when theirs is drained, and none in another's", async () => {
  // The same words of two users, and conversations of one user: without a name, named alike, and with an agent that works in a workspace.
  const all = [
    new Conversation(ann),
    new Conversation(ben),
    new Conversation(ann, { "x-session-id": "first" }),
    new Conversation(ben, { "x-session-id": "first" }),
    new Conversation(ann, { "x-session-id": "first", "x-caret-workspace": fleet.home.workspace }),
  ];
  const words = ["pear", "pear", "plum", "fig", "date"];
  const begun = await Promise.all(all.map((each, index) => each.ask(`Remember the word ${words[index]}`, 0)));
  expect(begun.map(({ text }) => text)).toEqual(words.map((word) => `I keep ${word}.`));
  expect(new Set(begun.map(({ session }) => session)).size).toBe(5);
  await start("desk");
  await stop("laptop", "SIGTERM");
  const gone = await Promise.all(all.map((each) => each.ask("Which word?", 1)));
  expect(gone).toEqual(begun.map(({ session }, index) => ({ session, text: `It was ${words[index]}.` })));
  expect(await Promise.all(begun.map(({ session }) => noticesOf(session ?? "")))).toEqual(
    Array(5).fill(["resume-lost"]),
  );
});

it("a conversation whose machine is killed between two requests goes on in its session, and stays where it is then", async () => {
  const conversation = new Conversation(ann, { "x-session-id": "killed" });
  const begun = await conversation.ask("Remember the word quince", 0);
  await start("tower");
  await stop("desk", "SIGKILL");
  const gone = await conversation.ask("Which word?", 1);
  const again = await conversation.ask("Tell me more", 0);
  expect([gone, again.session]).toEqual([{ session: begun.session, text: "It was quince." }, begun.session]);
  expect(await noticesOf(begun.session ?? "")).toEqual(["resume-lost"]);
});

it("a conversation of the API lane goes on with its upstream's own state, on another machine and without a notice", async () => {
  // The second text is the one of a second turn of the same upstream conversation.
  const upstream = await startUpstream({ scenario: { turns: [[{ text: "One." }], [{ text: "Two." }]] } });
  const env = { CURSOR_AGENT_URL: upstream.url, CURSOR_API_KEY: "key_of_a_test" };
  await stop("tower", "SIGTERM");
  await start("north", env, "api");
  const conversation = new Conversation(ben, { "x-session-id": "upstream" });
  const begun = await conversation.ask("Count", 0);
  await start("south", env, "api");
  await stop("north", "SIGTERM");
  const gone = await conversation.ask("Go on", 1);
  await upstream.close();
  expect([begun.text, gone, await noticesOf(begun.session ?? "")]).toEqual([
    "One.",
    { session: begun.session, text: "Two." },
    [],
  ]);
});
