import { exportLines, toShell } from "../text/shell-words.ts";
import type { Installation } from "./installation.ts";
import { type Recipe, type RecipeMachine, type RecipeValues, TERMINAL } from "./recipe.ts";

const SCRIPT = "TypeScript";

/** Any program that reads OpenAI's variables. */
export function openAiLibrary({ url, token, machine }: RecipeValues): Recipe {
  const variables = { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: token };
  const text = `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${url}/v1", apiKey: "${token}" });
const answer = await client.chat.completions.create({
  model: "auto",
  messages: [{ role: "user", content: "Say hello." }],
});`;
  return {
    id: "openai",
    name: "Any OpenAI client",
    door: "openai",
    about: "Most clients and libraries read these two variables; others ask for a base URL and a key.",
    parts: [
      { target: TERMINAL, text: exportLines(variables) },
      { target: SCRIPT, text },
    ],
    installation: variablesFile("openai", ["OPENAI_BASE_URL", "OPENAI_API_KEY"], `${url}/v1`, machine),
    launch: { args: [], env: variables },
  };
}

/** Any program that reads Anthropic's variables. */
export function anthropicLibrary({ url, token, machine }: RecipeValues): Recipe {
  const text = `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${url}", apiKey: "${token}" });
const message = await client.messages.create({
  model: "auto",
  max_tokens: 1024,
  messages: [{ role: "user", content: "Say hello." }],
});`;
  return {
    id: "anthropic",
    name: "Anthropic SDK",
    door: "anthropic",
    about: "The same in Python: Anthropic(base_url=…, api_key=…).",
    parts: [{ target: SCRIPT, text }],
    installation: variablesFile("anthropic", ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"], url, machine),
    launch: { args: [], env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: token } },
  };
}

/** A file to source in the shell before starting the client. */
function variablesFile(
  id: string,
  [address, key]: readonly [string, string],
  url: string,
  { tokenCommand }: RecipeMachine,
): Installation {
  const target = `{data}/clients/${id}.sh`;
  const text = `${exportLines({ [address]: url, [key]: `$(${toShell(tokenCommand)})` })}\n`;
  return {
    files: [{ target, format: "variables", text }],
    start: `. ${target}`,
    access: { url: [address], token: { form: "shell", paths: [[key]] } },
  };
}

export function libraries({ url, token }: RecipeValues): readonly Recipe[] {
  const vercel = `import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";

const caret = createOpenAICompatible({ name: "caret", baseURL: "${url}/v1", apiKey: "${token}" });
const { textStream } = streamText({ model: caret("auto"), prompt: "Say hello." });
for await (const text of textStream) process.stdout.write(text);`;
  const langchain = `import { ChatOpenAI } from "@langchain/openai";

const model = new ChatOpenAI({ model: "auto", apiKey: "${token}", configuration: { baseURL: "${url}/v1" } });
const { content } = await model.invoke([["human", "Say hello."]]);`;
  return [
    {
      id: "langchain",
      name: "LangChain",
      door: "openai",
      about: "With the package @langchain/openai.",
      parts: [{ target: SCRIPT, text: langchain }],
    },
    {
      id: "ai-sdk",
      name: "Vercel AI SDK",
      door: "openai",
      about: "With the packages ai and @ai-sdk/openai-compatible.",
      parts: [{ target: SCRIPT, text: vercel }],
    },
  ];
}

export function curl({ url, token }: RecipeValues): Recipe {
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
