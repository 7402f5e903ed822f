import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources/chat/completions";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

const caret = (name: string, args: Record<string, unknown>) => ({ tool: { server: "caret", name, args } });

const home = new GatewayHome({
  turns: [
    { when: "^Note", steps: [caret("note", { input: "milk & eggs" }), { text: "Noted." }] },
    { when: "^List", steps: [caret("local_shell", { command: ["ls"] }), { text: "Listed." }] },
    {
      when: "^Patch",
      steps: [caret("apply_patch", { type: "create_file", path: "a", diff: "+x" }), { text: "Done." }],
    },
    { when: "^Linear", steps: [caret("mcp__linear__search", { team: "core" }), { text: "Searched." }] },
  ],
});
let gateway: GatewayProcess;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  // Where an agent with tools of its own would work, unless it is kept from it.
  gateway = await startGateway(home, { args: ["--port", "0", "--workspace", home.workspace] });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.token, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.token, maxRetries: 0 });
  writeFileSync(join(home.workspace, "kept.txt"), "kept\n");
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

const workspaceFiles = () => readdirSync(home.workspace).toSorted();

describe("tools that a client runs although it sends no schema of them", () => {
  it("are called by Anthropic's client, and nothing is done on the gateway's machine", async () => {
    const { content, stop_reason } = await anthropic.messages.create({
      model: "auto",
      max_tokens: 1000,
      tools: [
        { type: "bash_20250124", name: "bash" },
        { type: "text_editor_20250728", name: "str_replace_based_edit_tool" },
      ],
      messages: [{ role: "user", content: "Create made.txt with the content hello" }],
    });
    expect({
      calls: content.flatMap((block) => (block.type === "tool_use" ? [block.name] : [])).length,
      stop_reason,
      files: workspaceFiles(),
    }).toEqual({ calls: 1, stop_reason: "tool_use", files: ["kept.txt"] });
  });

  it.each([false, true])("are called as custom tools by chat completions (stream: %s)", async (stream) => {
    const tools: ChatCompletionTool[] = [{ type: "custom", custom: { name: "note", description: "Takes a note" } }];
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: `Note it ${stream}` }];
    const body = { model: "auto", tools, messages };
    const whole = stream
      ? await openai.chat.completions.stream({ ...body, stream: true }).finalChatCompletion()
      : await openai.chat.completions.create(body);
    const [choice] = whole.choices;
    const call = choice?.message.tool_calls?.[0];
    expect({ call, finish: choice?.finish_reason }).toEqual({
      call: { id: expect.any(String), type: "custom", custom: { name: "note", input: "milk & eggs" } },
      finish: "tool_calls",
    });
    const answer = await openai.chat.completions.create({
      ...body,
      messages: [
        ...body.messages,
        choice?.message ?? { role: "assistant", content: "" },
        { role: "tool", tool_call_id: call?.id ?? "", content: "ok" },
      ],
    });
    expect(answer.choices[0]?.message.content).toBe("Noted.");
  });

  it("are called as custom tools by responses, streamed, and go on by their results", async () => {
    const tools = [{ type: "custom", name: "note", description: "Takes a note" } as const];
    const input: ResponseInputItem[] = [{ role: "user", content: "Note it by responses" }];
    const { output } = await openai.responses.stream({ model: "auto", tools, input }).finalResponse();
    const call = output.find((item) => item.type === "custom_tool_call");
    expect(call).toMatchObject({ name: "note", input: "milk & eggs" });
    const result = { type: "custom_tool_call_output", call_id: call?.call_id ?? "", output: "ok" } as const;
    const last = await openai.responses.create({
      model: "auto",
      tools,
      input: [...input, ...(call ? [call] : []), result],
    });
    expect(last.output_text).toBe("Noted.");
  });

  it.each([
    [
      "local_shell",
      "List them",
      { type: "local_shell_call", action: { type: "exec", command: ["ls"], env: {} } },
      (id: string) => ({ type: "local_shell_call_output", id, output: "kept.txt" }) as const,
      "Listed.",
    ],
    [
      "apply_patch",
      "Patch it",
      { type: "apply_patch_call", operation: { type: "create_file", path: "a", diff: "+x" } },
      (id: string) => ({ type: "apply_patch_call_output", call_id: id, status: "completed" }) as const,
      "Done.",
    ],
  ] as const)("are called as %s by responses", async (type, content, expected, resultOf, words) => {
    const input: ResponseInputItem[] = [{ role: "user", content }];
    const { output, id } = await openai.responses.create({ model: "auto", tools: [{ type }], input });
    expect(output).toEqual([expect.objectContaining({ status: "completed", type: expected.type })]);
    expect(output[0]).toMatchObject(expected);
    const callId = output[0] !== undefined && "call_id" in output[0] ? String(output[0].call_id) : "";
    const last = await openai.responses.create({
      model: "auto",
      tools: [{ type }],
      previous_response_id: id,
      input: [resultOf(callId)],
    });
    expect(last.output_text).toBe(words);
  });
});

describe("tools that only OpenAI's or Anthropic's servers run", () => {
  it("are refused where a request offers nothing else: no agent gets tools of its own for them", async () => {
    const agents = home.turns().length;
    const refusals = [
      anthropic.messages.create({
        model: "auto",
        max_tokens: 1000,
        tools: [{ type: "web_search_20250305", name: "web_search" }],
        messages: [{ role: "user", content: "Create made.txt with the content hello" }],
      }),
      openai.responses.create({ model: "auto", tools: [{ type: "web_search" }], input: "Create made.txt with x" }),
    ].map((asked) =>
      asked.then(
        () => "answered",
        (error) => ({ status: error.status, message: String(error.message) }),
      ),
    );
    expect({
      refusals: await Promise.all(refusals),
      agents: home.turns().length - agents,
      files: workspaceFiles(),
    }).toEqual({
      refusals: [
        { status: 400, message: expect.stringContaining("web_search_20250305") },
        { status: 422, message: expect.stringContaining("web_search") },
      ],
      agents: 0,
      files: ["kept.txt"],
    });
  });

  it("are left out beside others, and the answer says which", async () => {
    const { data, response } = await openai.responses
      .create({
        model: "auto",
        tools: [{ type: "web_search" }, { type: "custom", name: "note" }],
        input: "Note it beside a search",
      })
      .withResponse();
    expect({ types: data.output.map(({ type }) => type), ignored: response.headers.get("x-caret-ignored") }).toEqual({
      types: ["custom_tool_call"],
      ignored: "tools[web_search]",
    });
  });
});

describe("tools of one name in two namespaces", () => {
  it("are kept apart: the client is asked for the one that the agent means", async () => {
    const group = (name: string) => ({
      type: "namespace" as const,
      name,
      description: name,
      tools: [{ type: "function" as const, name: "search", parameters: { type: "object" } }],
    });
    const { output } = await openai.responses.create({
      model: "auto",
      tools: [group("mcp__github"), group("mcp__linear")],
      input: "Linear please",
    });
    expect(output).toEqual([
      expect.objectContaining({
        type: "function_call",
        namespace: "mcp__linear",
        name: "search",
        arguments: '{"team":"core"}',
      }),
    ]);
  });
});
