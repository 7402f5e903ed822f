import { Writable } from "node:stream";
import { type AboutView, CaretError, type CreateSession, type NativeClient } from "@caret/protocol";
import type { LoadedConfig } from "../config/load-config.ts";
import type { Host } from "../host/host.ts";
import { connectGateway } from "../serve/connect-gateway.ts";
import { hostRedactor } from "../store/log-work.ts";
import { hostLook, type Look, terminalTraits } from "../terminal/look.ts";
import { write } from "../terminal/print.ts";
import { cleanLine } from "../terminal/text-cleaner.ts";
import type { ChatControls } from "./chat-command.ts";
import { type ChatMode, ChatSession, type ChatSessionOptions } from "./chat-session.ts";

export interface ChatWanted {
  readonly loaded: LoadedConfig;
  /** Settings for creating a new session. */
  readonly wanted: CreateSession & { readonly workspace: string };
  readonly mode: ChatMode;
  /** Use line mode, whatever the terminal can do. */
  readonly isPlain: boolean;
  /** Called as soon as the chat is on the screen. */
  readonly begin: (controls: ChatControls) => Promise<void>;
}

type Hooks = Pick<ChatSessionOptions, "onChange" | "onError" | "onEvents">;

/** Opens a chat over the running gateway, or over one that lives as long as the chat. Resolves when the person has left. */
export async function openChat(host: Host, options: ChatWanted): Promise<void> {
  const { loaded, wanted, mode, isPlain } = options;
  const shown = isPlain ? { ...host, env: { ...host.env, TERM: "dumb" } } : host;
  // Two writers cannot share one screen: our own gateway's log lines become notes.
  let onLog: (line: string) => void = () => undefined;
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      onLog(String(chunk));
      done();
    },
  });
  const connection = await connectGateway({ ...host, stderr }, loaded, { workspace: wanted.workspace });
  try {
    const about = await connection.client.about();
    const { defaultPermission, defaultLane } = about;
    const client = allowing(connection.client, (path) =>
      onLog(
        `Turns may work in ${path} until the gateway ends; \`${host.command} workspaces allow\` keeps a directory.`,
      ),
    );
    const newChat = (hooks: Hooks) =>
      new ChatSession({ client, wanted, mode, defaultPermission, defaultLane, ...hooks });
    const controls = await openControls(shown, {
      ...{ client, newChat, options, isOwn: connection.startedBecause !== undefined },
      welcome: welcomeLines(about, hostLook(shown)),
    });
    onLog = (line) => controls.note([cleanLine(line)]);
    await controls.run(() => options.begin(controls));
    await write(host.stdout, lastWords(host, controls.chat));
  } finally {
    onLog = () => undefined;
    await connection.close();
  }
}

interface ControlParts {
  readonly client: NativeClient;
  readonly newChat: (hooks: Hooks) => ChatSession;
  readonly options: ChatWanted;
  /** The gateway ends with this process. */
  readonly isOwn: boolean;
  readonly welcome: readonly string[];
}

async function openControls(host: Host, { client, newChat, options, isOwn, welcome }: ControlParts) {
  const now = Date.now;
  if (!terminalTraits(host).isTty || host.stdin.isTTY !== true) {
    const { LineChat } = await import("./line-chat.ts");
    return new LineChat({ host, client, newChat, welcome, now });
  }
  const { config } = options.loaded;
  const [{ ChatScreen }, { ProcessTerminal }, { openPromptHistory }] = await Promise.all([
    import("./chat-screen.ts"),
    import("@earendil-works/pi-tui"),
    import("./prompt-history.ts"),
  ]);
  const { workspace } = options.wanted;
  const history = openPromptHistory({ dataDir: config.dataDir, workspace, redactor: hostRedactor(host, config) });
  const leaveWords = isOwn ? "the gateway of this chat ends, and stops the turn" : "the turn goes on in the gateway";
  return new ChatScreen({ host, client, terminal: new ProcessTerminal(), history, newChat, leaveWords, welcome, now });
}

/** The person works in this directory, so it is allowed until the gateway ends, as for an editor that opens it. */
function allowing(client: NativeClient, onAllowed: (path: string) => void): NativeClient {
  return {
    ...client,
    async createSession(wanted, options) {
      try {
        return await client.createSession(wanted, options);
      } catch (reason) {
        const isForbidden = CaretError.is(reason) && reason.code === "workspace-forbidden";
        if (!isForbidden || wanted.workspace === undefined) throw reason;
        onAllowed(await client.allowWorkspace(wanted.workspace, { keep: false }));
        return await client.createSession(wanted, options);
      }
    },
  };
}

/** What a newcomer should know before the first prompt. */
function welcomeLines({ version, lanes, defaultLane }: AboutView, { style }: Look): readonly string[] {
  const isSimulated = lanes.find(({ lane }) => lane === defaultLane)?.simulated === true;
  // Short lines: in line mode nothing wraps them between words.
  const warning = ["Answers are simulated, tools are real:", "they change files and run commands in this directory."];
  return [
    `${style.bold(`Caret ${version}`)} ${style.dim("Say what you want done. /help lists the commands.")}`,
    ...(isSimulated ? warning.map(style.yellow) : []),
  ];
}

function lastWords({ command }: Host, { view }: ChatSession): string {
  return view === undefined ? "" : `Go on with this session: ${command} chat -s ${view.id.slice(0, 8)}\n`;
}
