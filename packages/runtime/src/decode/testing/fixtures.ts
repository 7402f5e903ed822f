import * as lines from "./stream-json-lines.ts";

/** Whole handmade streams with everything a cut could break: emoji, escapes, CRLF, noise, no final newline. */

const write = (...parts: readonly (string | object)[]): Buffer =>
  Buffer.from(parts.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join("\n"));

const edit = {
  args: { path: "/work/demo/ä.txt", streamContent: "né\n" },
  result: {
    success: {
      path: "/work/demo/ä.txt",
      beforeFullFileContent: "né\r\n",
      afterFullFileContent: "né\n",
      message: "Updated.",
    },
  },
};

export const partialFixture = write(
  lines.init,
  lines.thinks("Überlegen … 🤔"),
  lines.thought(),
  lines.delta("Grüße, "),
  lines.delta('"世界" \\o/ 👋🏽'),
  lines.flush('Grüße, "世界" \\o/ 👋🏽'),
  ...lines.readsFile("call-a\nfc_ü"),
  lines.started("c2", { editToolCall: { args: edit.args } }),
  lines.completed("c2", { editToolCall: edit }),
  lines.delta("ha"),
  lines.delta("ha"),
  lines.retries(),
  lines.delta("\n"),
  lines.delta("Fertig. ✅"),
  lines.final("\nFertig. ✅"),
  lines.result("", { usage: { inputTokens: 5, outputTokens: 7 } }),
);

export const plainFixture = write(
  lines.init,
  lines.flush("Reading 📄."),
  ...lines.readsFile(),
  lines.delta("Asking."),
  lines.asks("webSearchRequestQuery", { args: { searchTerm: "日本" } }),
  lines.answers("webSearchRequestQuery", "webSearchRequestResponse", { approved: {} }),
  lines.final("Done."),
  lines.result("Reading 📄.Asking.Done."),
);

export const noisyFixture = Buffer.concat([
  Buffer.from("\uFEFFUsing worktree: /somewhere\r\n\r\n\u001b[2K\u001b[GLoading…\n[1]\nnull\n"),
  write(lines.init, lines.delta("a"), '{"type":"assistant","mess', `stdout: ${JSON.stringify(lines.delta("b"))}`),
  Buffer.from([0x0a, 0xff, 0xfe, 0x0a]),
  Buffer.from(`${JSON.stringify(lines.retries())} ${JSON.stringify({ type: "brand_new" })}\r\n`),
  write(lines.final("ab"), lines.result("ab")),
]);

const contract = (type: string, data: object): object => ({ type, data });

export const contractFixture = write(
  contract("protocol", { version: "1.0" }),
  contract("assistant_delta", { content: "Zwölf " }),
  "__JSON_START__",
  JSON.stringify(contract("assistant_delta", { content: "Boxkämpfer 🥊" }), null, 2),
  "__JSON_END__",
  contract("tool_call", { name: "exec", args: { command: "pwd" } }),
  contract("usage", { promptTokens: 1, completionTokens: 2 }),
  contract("done", { finishReason: "stop" }),
);

const payload = (type: string, subtype: string, content: object): object => ({ type, subtype, payload: content });

export const payloadFixture = write(
  payload("system", "init", {}),
  payload("thinking", "delta", { content: "hm 🤔" }),
  payload("assistant", "message", { message: { content: [{ type: "text", text: "Olé" }] } }),
  "not an event",
  payload("tool_call", "started", { toolCall: { id: "1", shellToolCall: { name: "shell", args: { command: "ls" } } } }),
  payload("tool_call", "completed", { toolCall: { id: "1", result: { exitCode: 0, stdout: "a\n", stderr: "" } } }),
  payload("result", "success", { exitCode: 0, is_error: false }),
);
