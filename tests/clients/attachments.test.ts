import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

const home = new GatewayHome();
let gateway: GatewayProcess;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  gateway = await startGateway(home);
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.token, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.token, maxRetries: 0 });
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

const PDF = Buffer.from("%PDF-1.4\n%\xff\xff").toString("base64");
const question = "What is 20 + 22?";

type Parts = readonly object[];

/** A dialogue by one of the doors, as a client keeps it: the refused message stays in its transcript. */
interface Door {
  readonly name: string;
  readonly attachment: (mediaType: string, data: string) => object;
  readonly text: (text: string) => object;
  readonly ask: (messages: readonly { role: "user" | "assistant"; content: string | Parts }[]) => Promise<string>;
}

const doors: readonly Door[] = [
  {
    name: "chat completions",
    attachment: (mediaType, data) => ({
      type: "file",
      file: { filename: "r", file_data: `data:${mediaType};base64,${data}` },
    }),
    text: (text) => ({ type: "text", text }),
    ask: async (messages) =>
      (await openai.chat.completions.create({ model: "auto", messages: messages as never })).choices[0]?.message
        .content ?? "",
  },
  {
    name: "responses",
    attachment: (mediaType, data) => ({
      type: "input_file",
      filename: "r",
      file_data: `data:${mediaType};base64,${data}`,
    }),
    text: (text) => ({ type: "input_text", text }),
    ask: async (messages) => (await openai.responses.create({ model: "auto", input: messages as never })).output_text,
  },
  {
    name: "messages",
    attachment: (media_type, data) => ({ type: "document", source: { type: "base64", media_type, data } }),
    text: (text) => ({ type: "text", text }),
    ask: async (messages) => {
      const { content } = await anthropic.messages.create({
        model: "auto",
        max_tokens: 1000,
        messages: messages as never,
      });
      return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
    },
  },
];

const refusalOf = (asked: Promise<string>) =>
  asked.then(
    (text) => ({ text }),
    ({ status, headers }) => ({ status, final: headers.get("x-should-retry") === "false" }),
  );

describe.each(doors)("by $name", ({ name, attachment, text, ask }) => {
  const first = (words: string) => [text(`${words} by ${name}`), attachment("application/pdf", PDF)];
  const final = { status: 400, final: true };

  it("a PDF is refused for good, and the next plain question works, however it is sent [defect 18]", async () => {
    const asked = first("Sum up");
    const refused = await refusalOf(ask([{ role: "user", content: asked }]));
    expect({
      refused,
      apart: await ask([
        { role: "user", content: asked },
        { role: "user", content: question },
      ]),
      joined: await ask([{ role: "user", content: [...asked, text(question)] }]),
      answered: await ask([
        { role: "user", content: asked },
        { role: "assistant", content: "I could not." },
        { role: "user", content: question },
      ]),
    }).toEqual({ refused: final, apart: "20 + 22 = 42", joined: "20 + 22 = 42", answered: "20 + 22 = 42" });
  });

  it("a PDF of the past does not fail the first request that a gateway sees [defect 18]", async () => {
    const content = first("Long ago");
    const past = [
      { role: "user" as const, content },
      { role: "assistant" as const, content: "Yes." },
    ];
    expect(await ask([...past, { role: "user", content: question }])).toBe("20 + 22 = 42");
  });

  it("a text file is passed on as text [defect 18]", async () => {
    const before = home.prompts().length;
    const data = Buffer.from("Boskoop\nElstar\n").toString("base64");
    await ask([{ role: "user", content: [text(`Name the apples by ${name}`), attachment("text/plain", data)] }]);
    const [prompt] = home.prompts().slice(before);
    expect(prompt).toMatch(/<document[^>]*>\nBoskoop\nElstar\n<\/document>/);
  });
});
