import { z } from "zod";
import { key } from "./key-names.ts";
import { outboundAddress } from "./outbound-schemas.ts";

const word = () => z.string().min(1).optional();

/** One rule of the policy for tools run by the gateway. */
function ruleSchema() {
  return z
    .strictObject({
      effect: z.enum(["allow", "ask", "deny"]).default("deny"),
      tool: word(),
      server: word(),
      path: word(),
      command: word(),
    })
    .refine(({ path, command }) => path === undefined || command === undefined, {
      error: "names a command and a path: keep one, no part of a call has both",
    });
}

/** The search engine behind `web_search`, if the gateway runs the tools. */
function webSearchSchema() {
  return z
    .strictObject({
      engine: key(
        z.enum(["searxng", "brave", "tavily"]).optional(),
        "The search engine of the tool `web_search`. Unset: none, and the tool says so.",
      ),
      url: key(
        outboundAddress().optional(),
        "The address of your SearXNG (its settings must allow the format `json`), or another one for Brave's or Tavily's API. It may be in a private network.",
      ),
      key: key(
        z
          .string()
          .regex(/^[\x21-\x7e]+$/, "is not a key: one word of printable characters")
          .optional(),
        "The key of Brave's or Tavily's API.",
        { secret: "all" },
      ),
    })
    .prefault({});
}

/** Who runs tools, and what tools run by the gateway can do. */
export function toolsSchema() {
  return z
    .strictObject({
      owner: key(
        z.enum(["agent", "client", "gateway", "none"]).optional(),
        "Who runs the tools of a request that does not say. Unset: the client when it offers tools, else the agent.",
      ),
      attended: key(
        z.enum(["gateway", "agent"]).default("gateway"),
        "Whose tools a person is asked about, in turns of the page and the terminal whose lane is `auto`: the gateway's, " +
          "which asks before changes of files, or the agent's own, which asks about commands, fetches and MCP tools alone.",
      ),
      policy: key(
        z.enum(["supervised", "auto-edits", "auto", "full"]).default("auto-edits"),
        "What tools run by the gateway may do: look; also change files of the workspace; also run commands that are " +
          "not dangerous; everything. Nobody can be asked, so the rest is denied.",
      ),
      rules: key(
        z.array(ruleSchema()).default([]),
        "Exceptions from the policy: `{effect?, tool?, server?, path?, command?}`, where `effect` is `allow`, `deny` " +
          "(the default) or `ask`, which denies where nobody can be asked, and the others are patterns. The most specific " +
          "rule decides. They bind tools that the gateway runs. Where a rule denies a command, a program that may start " +
          "others (`make`, `npm`, a script) is asked about as well, unless a rule allows it by name. A rule about a path " +
          "holds for the files that a call or a command line names, and Caret's own search leaves them out; not for those that a program opens by itself.",
      ),
      webSearch: webSearchSchema(),
      boundary: key(
        z.enum(["v1", "legacy"]).optional(),
        "How calls in the stream of a program of one's own are read: `v1` repairs and checks them, `legacy` passes them " +
          "on as they come. Unset: `CURSOR_ACP_PROVIDER_BOUNDARY`, else `v1`.",
      ),
      boundaryFallback: key(
        z.boolean().optional(),
        "Whether `v1` passes a tool's calls on as they come once it has refused them three times for the same reason. " +
          "Unset: `CURSOR_ACP_PROVIDER_BOUNDARY_AUTOFALLBACK`, else true.",
      ),
    })
    .prefault({});
}
