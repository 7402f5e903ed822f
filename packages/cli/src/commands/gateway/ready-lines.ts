import type { Host } from "../../host/host.ts";
import type { RunningGateway } from "../../serve/start-gateway.ts";
import { hostLook } from "../../terminal/look.ts";
import { wrapText } from "../../terminal/word-wrap.ts";

/** Column where the values start. */
const LABEL_WIDTH = 19;

/** The text shown when the gateway is ready: where it is, how to get in, and what answers. */
export function readyLines(host: Host, { url, token, lane, notes, workspaces, newLink }: RunningGateway): string {
  const look = hostLook(host);
  const { style } = look;
  const warning = (text: string): readonly string[] =>
    wrapText(text, { first: "", indent: "" }, look).map((line) => style.yellow(line));
  const row = (label: string, text: string): readonly string[] =>
    wrapText(text, { first: `  ${label.padEnd(LABEL_WIDTH)}`, indent: " ".repeat(LABEL_WIDTH + 2) }, look);
  const allow = `\`${host.command} workspaces allow DIR\` allows another`;
  const lines = [
    `${style.bold("Caret")} is ready at ${style.bold(url)}`,
    ...(lane === "sim"
      ? [
          "",
          ...warning(
            "SIMULATED answers, real tools: Caret's simulator answers, not Cursor, but it does change files and run commands in the workspace it is given.",
          ),
        ]
      : []),
    ...notes.flatMap(warning),
    "",
    ...row("Web page", `${newLink()} (signs one browser in, within 10 minutes)`),
    ...row("OpenAI clients", `${url}/v1 (chat completions and responses)`),
    ...row("Anthropic clients", `${url} (messages)`),
    ...row("API documentation", `${url}/docs (in a browser that is not signed in, the password is the token)`),
    ...(token === undefined ? [] : row("Token", token)),
    ...row("Workspaces", workspaces.length === 0 ? "none yet" : workspaces.join(", ")),
    ...row("", `(${allow}, \`${host.command} workspaces sample\` makes one to try)`),
    "",
    "Try it:",
    "",
    `  curl ${url}/v1/chat/completions \\`,
    `    -H 'authorization: Bearer ${token ?? "<token>"}' \\`,
    "    -H 'content-type: application/json' \\",
    `    -d '{"model":"auto","stream":true,"messages":[{"role":"user","content":"Count to 5."}]}'`,
    "",
    "Press Ctrl-C to stop.",
    "",
  ];
  return lines.join("\n");
}
