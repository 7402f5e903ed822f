import { createHash } from "node:crypto";
import type { ClientTool } from "@caret/protocol";
import type { AgentTool } from "../../calls/tool-call.ts";

/** Accepted as a tool name by every model. */
const PLAIN_NAME = /^[\w.-]{1,64}$/;
const MAX_NAME = 64;
const DIGEST = 8;

/** Gives the client's tools names that the agent can distinguish; each remembers its original name. */
export function toAgentTools(tools: readonly ClientTool[]): readonly AgentTool[] {
  const taken = new Set<string>();
  return tools.map(({ namespace, form: _, ...tool }) => {
    const isShared = tools.filter(({ name }) => name === tool.name).length > 1;
    const name = agentName(tool.name, isShared ? namespace : undefined, taken);
    taken.add(name);
    if (name === tool.name && namespace === undefined) return tool;
    return { ...tool, name, origin: { name: tool.name, ...(namespace === undefined ? {} : { namespace }) } };
  });
}

function agentName(name: string, namespace: string | undefined, taken: ReadonlySet<string>): string {
  const whole = namespace === undefined ? name : `${namespace}__${name}`;
  if (PLAIN_NAME.test(whole) && !taken.has(whole)) return whole;
  const plain = whole.replaceAll(/[^\w.-]/g, "_");
  if (plain.length <= MAX_NAME && !taken.has(plain)) return plain;
  // Cutting or repetition may make the name ambiguous; a digest of the whole makes it unique.
  const digest = createHash("sha256")
    .update(JSON.stringify([namespace, name]))
    .digest("hex")
    .slice(0, DIGEST);
  return `${plain.slice(0, MAX_NAME - DIGEST - 1)}_${digest}`;
}
