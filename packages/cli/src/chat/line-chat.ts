import { CaretError, type NativeClient, type SessionView } from "@caret/protocol";
import { type AskSurface, surfaceOf } from "../asks/ask-surface.ts";
import { type FollowedTranscript, printedTranscript } from "../following/followed-transcript.ts";
import type { Host } from "../host/host.ts";
import { errorLines } from "../terminal/closing-lines.ts";
import { hostLook, type Look } from "../terminal/look.ts";
import { write } from "../terminal/print.ts";
import { readTypedLines, type TypedLines } from "../terminal/typed-lines.ts";
import { type ChatAsks, createChatAsks } from "./chat-asks.ts";
import type { ChatControls, Choice } from "./chat-command.ts";
import { runChatCommand } from "./chat-commands.ts";
import type { ChatSession, ChatSessionOptions } from "./chat-session.ts";

export interface LineChatOptions {
  readonly host: Host;
  readonly client: NativeClient;
  readonly newChat: (hooks: Pick<ChatSessionOptions, "onChange" | "onError" | "onEvents">) => ChatSession;
  /** Printed first. */
  readonly welcome: readonly string[];
  readonly now: () => number;
}

/** The chat line by line, for terminals that cannot be drawn on and for screen readers. Nothing is ever redrawn. */
export class LineChat implements ChatControls {
  readonly client: NativeClient;
  readonly command: string;
  readonly look: Look;
  readonly now: () => number;
  readonly #options: LineChatOptions;
  readonly #left = Promise.withResolvers<void>();
  #shown: FollowedTranscript;
  #chat: ChatSession;
  #asks: ChatAsks;
  readonly #lines: TypedLines;

  constructor(options: LineChatOptions) {
    this.#options = options;
    const { host, client, now } = options;
    this.client = client;
    this.command = host.command;
    this.now = now;
    this.look = hostLook(host);
    this.#shown = printedTranscript(host, "");
    this.#lines = readTypedLines(host, {
      onLine: (line) => this.#take(line),
      onStale: (line) => void this.#surface().early(line),
      onClose: this.leave,
    });
    this.#chat = this.#newChat();
    this.#asks = this.#askFor(this.#chat);
  }

  get chat(): ChatSession {
    return this.#chat;
  }

  async run(begin: () => Promise<void>): Promise<void> {
    const { host } = this.#options;
    const release = host.onSignal(() => this.leave());
    try {
      this.note(this.#options.welcome);
      this.#attempt(begin());
      await this.#left.promise;
    } finally {
      release();
      this.#lines.close();
      this.#asks.stop();
      this.#chat.close();
      await this.#shown.close();
    }
  }

  readonly note = (lines: readonly string[]): void => {
    void write(this.#options.host.stdout, `${lines.join("\n")}\n`);
  };

  /** Prints the list: the person types the choice after the command. */
  readonly pick = async (title: string, choices: readonly Choice[]): Promise<undefined> => {
    const rows = choices.map(({ value, label, description = "" }) =>
      [value, ...(label === value ? [] : [label]), description].join("  ").trimEnd(),
    );
    this.note([`${title}: type one behind the command.`, ...rows.map((row) => `  ${row}`)]);
    return undefined;
  };

  readonly open = async (view: SessionView | undefined): Promise<void> => {
    this.#asks.stop();
    this.#chat.close();
    await this.#shown.close();
    this.#shown = printedTranscript(this.#options.host, view?.id ?? "");
    this.#chat = this.#newChat();
    this.#asks = this.#askFor(this.#chat);
    if (view !== undefined) await this.#chat.open(view);
    if (view !== undefined) this.#asks.watch(view);
  };

  readonly toggleDetails = (): void => {
    this.note([`Everything is shown already; ${this.command} sessions show prints a session again.`]);
  };

  readonly leave = (): void => {
    this.#left.resolve();
  };

  #newChat(): ChatSession {
    return this.#options.newChat({
      onChange: () => undefined,
      onError: (error) => this.#complain(error),
      onEvents: (batch) => this.#shown.take(batch),
    });
  }

  #askFor(chat: ChatSession): ChatAsks {
    const { host, client } = this.#options;
    const surface = this.#surface();
    return createChatAsks({ host, client, chat, surface, onError: (error) => this.#complain(error) });
  }

  #surface(): AskSurface {
    return surfaceOf(this.#shown, this.#lines);
  }

  #take(line: string): void {
    const said = line.trim();
    const isCommand = said.startsWith("/") && !said.startsWith("//");
    if ((!isCommand && this.#asks.take(said)) || said === "") return;
    if (isCommand) this.#attempt(runChatCommand(this, said));
    else this.#attempt(this.#chat.send(said.replace(/^\/\//, "/")));
  }

  #attempt(work: Promise<unknown>): void {
    void work.catch((reason: unknown) => this.#complain(CaretError.from(reason)));
  }

  #complain(error: CaretError): void {
    this.note(errorLines(error.toInfo(), this.look));
  }
}
