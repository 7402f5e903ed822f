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

describe.each(Object.keys(doors) as Path[])("a request with an idempotency-key at %s", (path) => {
  it("is one turn and has one answer, at once, later and after kill -9 [defect 19]", async () => {
    const prompt = `Pay, by ${path}`;
    const [first, together] = await Promise.all([ask(path, prompt, "pay"), ask(path, prompt, "pay")]);
    const streamed = await ask(path, prompt, "pay", { stream: true });
    await gateway.dieAndReturn();
    const afterwards = await ask(path, prompt, "pay");
    const answer = { status: 200, turn: first.turn, isPaid: true };
    expect([first, together, streamed, afterwards].map(whole)).toEqual([answer, answer, answer, answer]);
    expect(agentsFor(prompt)).toBe(1);
  });

  it("is not begun again when kill -9 has cut it: the client is answered that it was interrupted [defect 19]", async () => {
    const prompt = `A slow one, by ${path}`;
    const cut = ask(path, prompt, "slow").catch(() => "cut");
    await expect.poll(() => agentsFor(prompt), { timeout: 10_000 }).toBe(1);
    await gateway.dieAndReturn();
    expect(await cut).toBe("cut");
    const again = await ask(path, prompt, "slow");
    expect({
      isRefused: again.status >= 400,
      saysWhy: again.text.includes("Caret stopped while this turn was running"),
    }).toEqual({ isRefused: true, saysWhy: true });
    expect(agentsFor(prompt)).toBe(1);
  });

  it("is answered byte for byte or not at all: an answer with secrets is not kept over kill -9 [review 2 F12]", async () => {
    const prompt = `A secret, by ${path}`;
    const first = await ask(path, prompt, "secret");
    const again = await ask(path, prompt, "secret", { stream: true });
    await gateway.dieAndReturn();
    const later = await Promise.all([ask(path, prompt, "secret"), ask(path, prompt, "secret", { stream: true })]);
    expect([first, again].map(({ text }) => text.includes(SECRET))).toEqual([true, true]);
    const refused = { status: path === "/v1/messages" ? 424 : 410, isFinal: "false", isNamed: true, isAltered: false };
    expect(
      later.map(({ status, shouldRetry, text }) => ({
        ...{ status, isFinal: shouldRetry },
        isNamed: /answer[-_]not[-_]kept/.test(text) && text.includes("no longer kept as it was"),
        isAltered: text.includes("The token is"),
      })),
    ).toEqual([refused, refused]);
    expect((await ask(path, prompt, "secret-2")).text.includes(SECRET)).toBe(true);
    expect(agentsFor(prompt)).toBe(2);
  });

  it("with the key of another request is refused, and other keys begin other turns [defect 19]", async () => {
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
