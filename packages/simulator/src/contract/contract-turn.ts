import { isRecord } from "../json/json.ts";
import type { JsonSchema, ModelMessage, OfferedTool } from "../model/model.ts";

/** What the host sends as its first line. */
export interface ContractTurn {
  readonly turnId: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly OfferedTool[];
}

/** The host's tools look to the model like those of one MCP server. */
const hostServer = "host";

type Value = Readonly<Record<string, unknown>>;

/** `undefined` when the line is no turn. */
export function parseContractTurn(line: string): ContractTurn | undefined {
  const turn = parseObject(line);
  if (turn?.["type"] !== "turn" || !Array.isArray(turn["messages"])) return undefined;
  const tools: readonly unknown[] = Array.isArray(turn["tools"]) ? turn["tools"] : [];
  return {
    turnId: typeof turn["turnId"] === "string" ? turn["turnId"] : "",
    messages: turn["messages"].flatMap(toMessage),
    tools: tools.flatMap(toTool),
  };
}

export function parseObject(line: string): Value | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    // The caller answers for what is not JSON.
    return undefined;
  }
}

function toMessage(value: unknown): readonly ModelMessage[] {
  if (!isRecord(value)) return [];
  const text = toText(value["content"]);
  switch (value["role"]) {
    case "system":
    case "user":
      return [{ role: value["role"], text }];
    case "assistant":
      return [{ role: "assistant", text, calls: [] }];
    case "tool": {
      const name = typeof value["name"] === "string" ? value["name"] : "tool";
      return [{ role: "tool", call: { server: hostServer, name, args: {} }, ok: true, output: text }];
    }
    default:
      return [];
  }
}

function toText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (isRecord(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}

function toTool(value: unknown): readonly OfferedTool[] {
  if (!isRecord(value) || typeof value["name"] !== "string") return [];
  const schema = value["schema"] ?? value["inputSchema"] ?? value["parameters"];
  const description = typeof value["description"] === "string" ? { description: value["description"] } : {};
  const inputSchema: JsonSchema = isRecord(schema) ? schema : {};
  return [{ server: hostServer, name: value["name"], ...description, inputSchema }];
}
