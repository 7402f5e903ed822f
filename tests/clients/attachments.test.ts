import Anthropic from "@anthropic-ai/sdk";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

const home = new GatewayHome({
  turns: [
    { when: "^Look at", steps: [{ tool: { server: "caret", name: "look", args: {} } }, { text: "I have looked." }] },
  ],
});
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
const PNG = Buffer.from("\x89PNG\r\n\x1a\nnot much of a picture", "latin1").toString("base64");
const question = "What is 20 + 22?";

type Parts = readonly object[];

/** A dialogue by one of the doors, as a client keeps it: the refused message stays in its transcript. */
interface Door {
  readonly name: string;
  readonly attachment: (mediaType: string, data: string) => object;
  readonly picture: object;
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
    picture: { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
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
    picture: { type: "input_image", image_url: `data:image/png;base64,${PNG}` },
    text: (text) => ({ type: "input_text", text }),
    ask: async (messages) => (await openai.responses.create({ model: "auto", input: messages as never })).output_text,
  },
  {
    name: "messages",
    attachment: (media_type, data) => ({ type: "document", source: { type: "base64", media_type, data } }),
    picture: { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
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

/** Every door refuses by the same code; the formats of the other two are read in their own tests. */
describe.each(doors.slice(0, barSize({ quick: 1, full: 3 })))(
  "by $name",
  ({ name, attachment, picture, text, ask }) => {
    const first = (words: string, more: object = attachment("application/pdf", PDF)) => [
      text(`${words} by ${name}`),
      more,
    ];
    const final = { status: 400, final: true };

    it.each([
      ["PDF", undefined],
      ["picture", picture],
    ])("a %s is refused for good, and the next plain question works, however it is sent", async (kind, more) => {
      const asked = first(`Sum up the ${kind}`, more);
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

    it.each([
      ["PDF", undefined],
      ["picture", picture],
    ])("a %s of the past does not fail the first request that a gateway sees", async (kind, more) => {
      const content = first(`Long ago a ${kind}`, more);
      const past = [
        { role: "user" as const, content },
        { role: "assistant" as const, content: "Yes." },
      ];
      expect(await ask([...past, { role: "user", content: question }])).toBe("20 + 22 = 42");
    });

    it("a text file is passed on as text", async () => {
      const before = home.prompts().length;
      const data = Buffer.from("Boskoop\nElstar\n").toString("base64");
      await ask([{ role: "user", content: [text(`Name the apples by ${name}`), attachment("text/plain", data)] }]);
      const [prompt] = home.prompts().slice(before);
      expect(prompt).toMatch(/<document[^>]*>\nBoskoop\nElstar\n<\/document>/);
    });
  },
);

describe("a picture that a tool has given", () => {
  const parameters = { type: "object" as const, properties: {} };
  const image = { url: `data:image/png;base64,${PNG}` };

  it.each([["Attached image(s) from tool result:"], ["The tool look returned the following attachments:"]])(
    "goes on in the same turn, also behind its result and the words %j",
    async (caption) => {
      const before = home.turns().length;
      const asked = { role: "user" as const, content: `Look at it (${caption})` };
      const tools = [{ type: "function" as const, function: { name: "look", parameters } }];
      const { choices } = await openai.chat.completions.create({ model: "auto", messages: [asked], tools });
      const message = choices[0]?.message;
      const tool_call_id = message?.tool_calls?.[0]?.id ?? "";
      const { choices: last } = await openai.chat.completions.create({
        model: "auto",
        tools,
        messages: [
          asked,
          { role: "assistant", content: message?.content ?? "", tool_calls: message?.tool_calls ?? [] },
          { role: "tool", tool_call_id, content: "(see attached image)" },
          {
            role: "user",
            content: [
              { type: "text", text: caption },
              { type: "image_url", image_url: image },
            ],
          },
        ],
      });
      expect({ text: last[0]?.message.content, agents: home.turns().length - before }).toEqual({
        text: "I have looked.",
        agents: 1,
      });
    },
  );

  it("goes on in the same turn by the doors that have it in the result itself", async () => {
    const before = home.turns().length;
    const tools = [{ name: "look", input_schema: parameters }];
    const asked = { role: "user" as const, content: "Look at it by messages" };
    const common = { model: "auto", max_tokens: 1_000, tools };
    const { content } = await anthropic.messages.create({ ...common, messages: [asked] });
    const id = content.find((block) => block.type === "tool_use")?.id ?? "";
    const source = { type: "base64" as const, media_type: "image/png" as const, data: PNG };
    const given = { type: "tool_result" as const, tool_use_id: id, content: [{ type: "image" as const, source }] };
    const message = await anthropic.messages.create({
      ...common,
      messages: [asked, { role: "assistant", content }, { role: "user", content: [given] }],
    });
    const responseTools = [{ type: "function" as const, name: "look", parameters, strict: false }];
    const first = await openai.responses.create({
      model: "auto",
      input: "Look at it by responses",
      tools: responseTools,
    });
    const call = first.output.find((item) => item.type === "function_call");
    const output = [{ type: "input_image" as const, image_url: image.url, detail: "auto" as const }];
    const response = await openai.responses.create({
      model: "auto",
      tools: responseTools,
      previous_response_id: first.id,
      input: [{ type: "function_call_output", call_id: call?.call_id ?? "", output }],
    });
    expect({
      messages: message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])),
      responses: response.output_text,
      agents: home.turns().length - before,
    }).toEqual({ messages: ["I have looked."], responses: "I have looked.", agents: 2 });
  });
});
