import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

const home = new GatewayHome();
let gateway: GatewayProcess;
const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.token, maxRetries: 0 });

beforeAll(async () => {
  gateway = await startGateway(home);
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

describe("OpenAI's client at the Responses API", () => {
  it("talks over a WebSocket, and is remembered there without being stored", async () => {
    const socket = new ResponsesWS(client());
    const said: string[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const ask = (input: string, previous_response_id?: string) =>
      socket.send({
        type: "response.create",
        model: "auto",
        store: false,
        input,
        ...(previous_response_id === undefined ? {} : { previous_response_id }),
      });
    socket.on("error", reject);
    socket.on("response.completed", ({ response: { id, output } }) => {
      said.push(
        output
          .flatMap((item) => (item.type === "message" ? item.content : []))
          .map((part) => ("text" in part ? part.text : ""))
          .join(""),
      );
      if (said.length === 2) resolve();
      else ask("What is my name?", id);
    });
    ask("My name is Ada");
    await promise;
    socket.close();
    expect(said.at(-1)).toBe("Your name is Ada.");
  });

  it("finds its responses, and its compacted conversations, after a restart of the gateway", async () => {
    const { id } = await client().responses.create({ model: "auto", input: "Hello" });
    const before = await client().responses.retrieve(id);
    const { output } = await client().responses.compact({ model: "auto", previous_response_id: id });
    await gateway.stop();
    gateway = await startGateway(home);
    const { responses } = client();
    expect(await responses.retrieve(id)).toEqual(before);
    const input = [...output, { role: "user", content: "Go on" }] as OpenAI.Responses.ResponseInput;
    expect((await responses.create({ model: "auto", input })).status).toBe("completed");
    await responses.delete(id);
    await expect(responses.retrieve(id)).rejects.toThrow(`404 There is no response "${id}" (any more).`);
  });

  it("checks by any name of a turn's whether there is such a model", async () => {
    const names = ["auto", "opus", "gpt-5", "gpt-4o-mini", "claude-opus-5-5", "caret/opus"];
    const found = await Promise.all(names.map(async (name) => (await client().models.retrieve(name)).id));
    expect(found).toEqual(names);
    await expect(client().models.retrieve("unheard-of-9")).rejects.toThrow("404");
  });
});
