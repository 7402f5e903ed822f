import type { Host } from "../host.ts";
import type { RunningGateway } from "../serve/start-gateway.ts";

/** What a person reads when the gateway is ready: where it is, how to get in, and what answers. */
export function readyLines(host: Host, { url, token, lane, notes, workspaces, newLink }: RunningGateway): string {
  const isStyled = host.stdout.isTTY === true && host.env["NO_COLOR"] === undefined;
  const bold = (text: string): string => (isStyled ? `\u001b[1m${text}\u001b[0m` : text);
  const warning = (text: string): string => (isStyled ? `\u001b[33m${text}\u001b[0m` : text);
  const lines = [
    `${bold("Caret")} is ready at ${bold(url)}`,
    ...(lane === "sim"
      ? [
          "",
          warning(
            "SIMULATED answers, real tools: Caret's simulator answers, not Cursor, but it does change files and run",
          ),
          warning("commands in the workspace it is given."),
        ]
      : []),
    ...notes.map((note) => warning(note)),
    "",
    `  Web page           ${newLink()}   (signs one browser in, within 10 minutes)`,
    `  OpenAI clients     ${url}/v1          (chat completions and responses)`,
    `  Anthropic clients  ${url}             (messages)`,
    `  API documentation  ${url}/docs        (in a browser that is not signed in, the password is the token)`,
    ...(token === undefined ? [] : [`  Token              ${token}`]),
    `  Workspaces         ${workspaces.length === 0 ? "none yet" : workspaces.join(", ")}`,
    `                     (\`${host.command} workspaces allow DIR\` allows another, \`${host.command} workspaces sample\` makes one to try)`,
    "",
    "Try it:",
    "",
    `  curl ${url}/v1/chat/completions \\`,
    `    -H 'authorization: Bearer ${token ?? "<token>"}' -H 'content-type: application/json' \\`,
    `    -d '{"model":"auto","stream":true,"messages":[{"role":"user","content":"Count to 5."}]}'`,
    "",
    "Press Ctrl-C to stop.",
    "",
  ];
  return lines.join("\n");
}
