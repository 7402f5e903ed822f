import { moreClients } from "./more-clients.ts";
import { piModel, type Recipe, type RecipeValues, TERMINAL } from "./recipe.ts";

export { type Door, type Recipe, TERMINAL } from "./recipe.ts";

/** The same settings as in docs/clients.md, which are what the tests run the real clients with. */
export function recipes(values: RecipeValues): readonly Recipe[] {
  return [
    claudeCode(values),
    codex(values),
    openCode(values),
    pi(values),
    ...moreClients(values),
    zed(values),
    ...libraries(values),
    curl(values),
  ];
}

function claudeCode({ url, token }: RecipeValues): Recipe {
  const text = `export ANTHROPIC_BASE_URL=${url}
export ANTHROPIC_AUTH_TOKEN=${token}
claude --model auto`;
  return {
    id: "claude-code",
    name: "Claude Code",
    door: "anthropic",
    about: "Claude Code runs its own tools, in its own directory.",
    parts: [{ target: TERMINAL, text }],
  };
}

function codex({ url, token }: RecipeValues): Recipe {
  const text = `model = "auto"
model_provider = "caret"
model_context_window = 200000

[model_providers.caret]
name = "Caret"
base_url = "${url}/v1"
env_key = "CARET_TOKEN"
wire_api = "responses"`;
  return {
    id: "codex",
    name: "Codex",
    door: "responses",
    about: "Codex reads the token from the variable CARET_TOKEN.",
    parts: [
      { target: "~/.codex/config.toml", text },
      { target: TERMINAL, text: `export CARET_TOKEN=${token}\ncodex` },
    ],
  };
}

function openCode({ url, token }: RecipeValues): Recipe {
  const settings = {
    provider: {
      caret: {
        npm: "@ai-sdk/openai-compatible",
        name: "Caret",
        options: { baseURL: `${url}/v1`, apiKey: token },
        models: { auto: { name: "auto", limit: { context: 200_000, output: 8000 } } },
      },
    },
  };
  return {
    id: "opencode",
    name: "OpenCode",
    door: "openai",
    about: "In the project's directory, or for all projects in ~/.config/opencode.",
    parts: [
      { target: "opencode.json", text: JSON.stringify(settings, undefined, 2) },
      { target: TERMINAL, text: "opencode --model caret/auto" },
    ],
  };
}

function pi({ url, token }: RecipeValues): Recipe {
  const caret = { baseUrl: `${url}/v1`, apiKey: token, api: "openai-completions", models: [piModel] };
  return {
    id: "pi",
    name: "pi",
    door: "openai",
    about: "In pi's own directory. Needs Node 22.",
    parts: [
      { target: "~/.pi/agent/models.json", text: JSON.stringify({ providers: { caret } }, undefined, 2) },
      { target: TERMINAL, text: "pi --provider caret --model auto" },
    ],
  };
}

function zed({ url, token }: RecipeValues): Recipe {
  const model = { name: "auto", display_name: "Caret", max_tokens: 200_000, capabilities: { tools: true } };
  const caret = { api_url: `${url}/v1`, available_models: [model] };
  const settings = { language_models: { openai_compatible: { caret } } };
  return {
    id: "zed",
    name: "Zed",
    door: "openai",
    about:
      "Zed takes the token from CARET_API_KEY when it is started from a terminal, or in the settings of its agent panel.",
    parts: [
      { target: "~/.config/zed/settings.json", text: JSON.stringify(settings, undefined, 2) },
      { target: TERMINAL, text: `export CARET_API_KEY=${token}\nzed` },
    ],
  };
}

function libraries({ url, token }: RecipeValues): readonly Recipe[] {
  const variables = `export OPENAI_BASE_URL=${url}/v1\nexport OPENAI_API_KEY=${token}`;
  const openai = `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${url}/v1", apiKey: "${token}" });
const answer = await client.chat.completions.create({
  model: "auto",
  messages: [{ role: "user", content: "Say hello." }],
});`;
  const anthropic = `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${url}", apiKey: "${token}" });
const message = await client.messages.create({
  model: "auto",
  max_tokens: 1024,
  messages: [{ role: "user", content: "Say hello." }],
});`;
  const vercel = `import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";

const caret = createOpenAICompatible({ name: "caret", baseURL: "${url}/v1", apiKey: "${token}" });
const { textStream } = streamText({ model: caret("auto"), prompt: "Say hello." });
for await (const text of textStream) process.stdout.write(text);`;
  const langchain = `import { ChatOpenAI } from "@langchain/openai";

const model = new ChatOpenAI({ model: "auto", apiKey: "${token}", configuration: { baseURL: "${url}/v1" } });
const { content } = await model.invoke([["human", "Say hello."]]);`;
  const script = "TypeScript";
  return [
    {
      id: "openai",
      name: "Any OpenAI client",
      door: "openai",
      about: "Most clients and libraries read these two variables; others ask for a base URL and a key.",
      parts: [
        { target: TERMINAL, text: variables },
        { target: script, text: openai },
      ],
    },
    {
      id: "anthropic",
      name: "Anthropic SDK",
      door: "anthropic",
      about: "The same in Python: Anthropic(base_url=…, api_key=…).",
      parts: [{ target: script, text: anthropic }],
    },
    {
      id: "langchain",
      name: "LangChain",
      door: "openai",
      about: "With the package @langchain/openai.",
      parts: [{ target: script, text: langchain }],
    },
    {
      id: "ai-sdk",
      name: "Vercel AI SDK",
      door: "openai",
      about: "With the packages ai and @ai-sdk/openai-compatible.",
      parts: [{ target: script, text: vercel }],
    },
  ];
}

function curl({ url, token }: RecipeValues): Recipe {
  const text = `curl -N ${url}/v1/chat/completions \\
  -H "authorization: Bearer ${token}" \\
  -H "content-type: application/json" \\
  -d '{"model": "auto", "stream": true, "messages": [{"role": "user", "content": "Say hello."}]}'`;
  return {
    id: "curl",
    name: "curl",
    door: "openai",
    about: "To see with bare eyes what the gateway answers.",
    parts: [{ target: TERMINAL, text }],
  };
}
