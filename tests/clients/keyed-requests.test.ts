import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MortalGateway } from "../native/mortal-gateway.ts";

const SECRET = `ghp_${"aB3dE5gH7jK9".repeat(3)}`;
let gateway: MortalGateway;
beforeAll(async () => {
  gateway = await MortalGateway.start({
    turns: [
      { when: "slow", steps: [{ text: "Begun. " }, { delay: 60_000 }] },
      { when: "secret", steps: [{ text: `The token is ${SECRET}.` }] },
      { when: "", steps: [{ text: "Paid." }] },
    ],
  });
});
afterAll(() => gateway.remove());

const doors = {
  "/v1/chat/completions": (prompt: string) => ({ model: "auto", messages: [{ role: "user", content: prompt }] }),
  "/v1/responses": (prompt: string) => ({ model: "auto", input: prompt }),
  "/v1/messages": (prompt: string) => ({
    model: "auto",
    max_tokens: 1000,
    messages: [{ role: "user", content: prompt }],
  }),
} as const;
type Path = keyof typeof doors;

interface Answer {
  readonly status: number;
  readonly turn: string | null;
  readonly isPaid: boolean;
  readonly shouldRetry: string | null;
  readonly text: string;
}

async function ask(path: Path, prompt: string, key: string, more: object = {}): Promise<Answer> {
  const { url, token } = gateway.process;
  const response = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ ...doors[path](prompt), ...more }),
  });
  const text = await response.text();
  return {
    status: response.status,
    turn: response.headers.get("x-caret-turn"),
    isPaid: text.includes("Paid."),
    shouldRetry: response.headers.get("x-should-retry"),
    text,
  };
}

const agentsFor = (prompt: string): number => gateway.home.prompts().filter((asked) => asked.includes(prompt)).length;
const whole = ({ status, turn, isPaid }: Answer) => ({ status, turn, isPaid });

const paths = Object.keys(doors) as Path[];
const everywhere = <Result>(work: (path: Path) => Promise<Result>): Promise<readonly Result[]> =>
  Promise.all(paths.map(work));

/** The gateway is killed once for all three doors. */
describe("a request with an idempotency-key at any stateless door", () => {
  it("is one turn and has one answer, at once, later and after kill -9", async () => {
    const prompt = (path: Path): string => `Pay, by ${path}`;
    const before = await everywhere(async (path) => {
      const [first, together] = await Promise.all([1, 2].map(() => ask(path, prompt(path), "pay")));
      return [first, together, await ask(path, prompt(path), "pay", { stream: true })];
    });
    await gateway.dieAndReturn();
    const afterwards = await everywhere((path) => ask(path, prompt(path), "pay"));
    for (const [index, path] of paths.entries()) {
      const answers = [...(before[index] ?? []), afterwards[index]].map((answer) => answer && whole(answer));
      expect({ path, answers }).toEqual({
        path,
        answers: Array(4).fill({ status: 200, turn: expect.any(String), isPaid: true }),
      });
      expect({
        path,
        turns: new Set(answers.map((answer) => answer?.turn)).size,
        agents: agentsFor(prompt(path)),
      }).toEqual({
        path,
        turns: 1,
        agents: 1,
      });
    }
  });

  it("is not begun again when kill -9 has cut it: the client is answered that it was interrupted", async () => {
    const prompt = (path: Path): string => `A slow one, by ${path}`;
    const cut = everywhere((path) => ask(path, prompt(path), "slow").catch(() => "cut"));
    await expect.poll(() => paths.map((path) => agentsFor(prompt(path)))).toEqual([1, 1, 1]);
    await gateway.dieAndReturn();
    expect(await cut).toEqual(["cut", "cut", "cut"]);
    const again = await everywhere((path) => ask(path, prompt(path), "slow"));
    expect(
      again.map(({ status, text }, index) => ({
        path: paths[index],
        isRefused: status >= 400,
        saysWhy: text.includes("Caret stopped while this turn was running"),
        agents: agentsFor(prompt(paths[index] as Path)),
      })),
    ).toEqual(paths.map((path) => ({ path, isRefused: true, saysWhy: true, agents: 1 })));
  });

  it("is answered byte for byte or not at all: an answer with secrets is not kept over kill -9", async () => {
    const prompt = (path: Path): string => `A secret, by ${path}`;
    const before = await everywhere(async (path) => [
      await ask(path, prompt(path), "secret"),
      await ask(path, prompt(path), "secret", { stream: true }),
    ]);
    expect(before.flat().map(({ text }) => text.includes(SECRET))).toEqual(Array(6).fill(true));
    await gateway.dieAndReturn();
    const later = await everywhere((path) =>
      Promise.all([ask(path, prompt(path), "secret"), ask(path, prompt(path), "secret", { stream: true })]),
    );
    for (const [index, path] of paths.entries()) {
      const refused = { isFinal: "false", isNamed: true, isAltered: false };
      const expected = { path, status: path === "/v1/messages" ? 424 : 410, ...refused };
      expect(
        later[index]?.map(({ status, shouldRetry, text }) => ({
          ...{ path, status, isFinal: shouldRetry },
          isNamed: /answer[-_]not[-_]kept/.test(text) && text.includes("no longer kept as it was"),
          isAltered: text.includes("The token is"),
        })),
      ).toEqual([expected, expected]);
      expect((await ask(path, prompt(path), "secret-2")).text).toContain(SECRET);
      expect(agentsFor(prompt(path))).toBe(2);
    }
  });
});

describe.each(paths)("a request with an idempotency-key at %s", (path) => {
  it("with the key of another request is refused, and other keys begin other turns", async () => {
    const prompt = `Mine, by ${path}`;
    await ask(path, prompt, "mine");
    const other = await ask(path, "Something else", "mine");
    expect({ status: other.status, saysWhy: other.text.includes("was used before, with another body") }).toEqual({
      status: 400,
      saysWhy: true,
    });
    const invisible = await ask(path, prompt, "two words");
    expect({
      status: invisible.status,
      saysWhy: invisible.text.includes("must be 1 to 255 visible characters"),
    }).toEqual({ status: 400, saysWhy: true });
    expect(whole(await ask(path, prompt, "another")).isPaid).toBe(true);
    expect(agentsFor(prompt)).toBe(2);
  });
});
