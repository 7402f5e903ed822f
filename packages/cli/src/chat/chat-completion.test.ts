import { createNativeClient } from "@caret/protocol";
import { expect, it } from "vitest";
import { agentCommandChoices } from "./agent-commands.ts";
import { createChatCompletion, fileChoices } from "./chat-completion.ts";
import type { ChatSession } from "./chat-session.ts";

it("offers no file whose name would steer the terminal", () => {
  const hostile = ["a\u001b]52;c;cm0=\u0007.ts", "b\nrm.ts", "c\u009b2J.ts", "d\u202e.ts"];
  expect(fileChoices(["src/a b.ts", "日本.ts", ...hostile])).toEqual([
    { value: "@src/a b.ts", label: "src/a b.ts" },
    { value: "@日本.ts", label: "日本.ts" },
  ]);
});

it("offers the agent's commands after Caret's, none whose name is Caret's or would steer the terminal", () => {
  const hostile = ["a\u001b]52;c;cm0=\u0007", "b\nrm", "c\u009b2J", "d\u202e", "e f", ""];
  const commands = [
    { name: "review", source: "workspace", description: "Review \u001b[2Jwhat\nchanged", text: "Review." },
    { name: "stop", source: "workspace", description: "Not the one of Caret", text: "Stop." },
    { name: "compress", source: "agent", description: "" },
    ...hostile.map((name) => ({ name, source: "agent", description: "" }) as const),
  ] as const;
  expect(agentCommandChoices(commands, new Set(["stop"]))).toEqual([
    { value: "/review", label: "/review", description: "Review what changed (of this workspace)" },
    { value: "/compress", label: "/compress", description: "the agent's" },
  ]);
});

/** Without a gateway, Caret's own commands are still completed. */
const gone = {
  client: createNativeClient({
    baseUrl: "http://127.0.0.1:1",
    fetch: () => Promise.reject(new TypeError("fetch failed")),
    wait: async () => undefined,
  }),
  chat: { lane: "sim", workspace: "/w" } as ChatSession,
};

it("leaves what was typed after the list was made", () => {
  const { applyCompletion } = createChatCompletion(() => gone);
  const stop = { value: "/stop", label: "/stop" };
  const apply = (line: string, prefix: string) => applyCompletion([line], 0, line.length, stop, prefix).lines;
  expect([apply("/st", "/st"), apply("/sessions", "/s")]).toEqual([["/stop "], ["/sessions"]]);
});

it("offers Caret's commands and no file while the gateway does not answer", async () => {
  const completion = createChatCompletion(() => gone);
  const { signal } = new AbortController();
  const offered = async (line: string) =>
    (await completion.getSuggestions([line], 0, line.length, { signal }))?.items.map(({ label }) => label);
  expect([await offered("/sto"), await offered("look at @gre")]).toEqual([["/stop"], undefined]);
});
