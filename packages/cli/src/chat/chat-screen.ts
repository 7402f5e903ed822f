import { CaretError, type NativeClient, type SessionView } from "@caret/protocol";
import { Container, Editor, setCapabilities, type Terminal, TuiMainScreen } from "@earendil-works/pi-tui";
import type { Host } from "../host/host.ts";
import { errorLines } from "../terminal/closing-lines.ts";
import { hostLook, type Look } from "../terminal/look.ts";
import { type ChatAsks, createChatAsks } from "./chat-asks.ts";
import type { ChatControls, Choice } from "./chat-command.ts";
import { runChatCommand } from "./chat-commands.ts";
import { createChatCompletion } from "./chat-completion.ts";
import { type ScreenKey, screenKey } from "./chat-keys.ts";
import type { ChatSession, ChatSessionOptions } from "./chat-session.ts";
import { editorTheme } from "./chat-theme.ts";
import { drawnLines } from "./drawn-lines.ts";
import { Picker } from "./picker.ts";
import type { PromptHistory } from "./prompt-history.ts";
import { activityLines, settingLine } from "./status-lines.ts";
import { TranscriptView } from "./transcript-view.ts";

/** A second Ctrl-C within this time leaves. */
const LEAVE_MS = 2_000;
const TICK_MS = 100;
/** Minimum interval between redraws of streaming text: each one parses the whole answer again. */
const DRAW_MS = 40;

const KEPT = "  What you typed before this could be read is kept for the prompt.";

/** State before anything was drawn, so the next drawing does not clear what the shell printed since. */
const NOTHING_DRAWN = {
  previousLines: [],
  previousWidth: 0,
  previousHeight: 0,
  cursorRow: 0,
  hardwareCursorRow: 0,
  maxLinesRendered: 0,
  previousViewportTop: 0,
};

export interface ChatScreenOptions {
  readonly host: Host;
  readonly client: NativeClient;
  readonly terminal: Terminal;
  readonly history: PromptHistory;
  readonly newChat: (hooks: Pick<ChatSessionOptions, "onChange" | "onError">) => ChatSession;
  /** What leaving does to a running turn. */
  readonly leaveWords: string;
  /** Shown above a session that has not started. */
  readonly welcome: readonly string[];
  readonly now: () => number;
}

/**
 * The chat on a drawable terminal: transcript, pending asks, activity, prompt, settings. Drawn on the main screen, so the terminal's own
 * scrollback and selection work.
 */
export class ChatScreen implements ChatControls {
  readonly client: NativeClient;
  readonly command: string;
  readonly look: Look;
  readonly now: () => number;
  readonly #options: ChatScreenOptions;
  readonly #tui: TuiMainScreen;
  readonly #view: TranscriptView;
  readonly #editor: Editor;
  readonly #bottom = new Container();
  readonly #left = Promise.withResolvers<void>();
  #chat: ChatSession;
  #asks: ChatAsks;
  #card: readonly string[] = [];
  #hint = "";
  #typed = "";
  /** Text typed before a card appeared. */
  #aside = "";
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #isSuspended = false;
  #drawing: NodeJS.Timeout | undefined;
  #isPicking = false;

  constructor(options: ChatScreenOptions) {
    this.#options = options;
    const { host, terminal, client, now } = options;
    this.client = client;
    this.command = host.command;
    this.now = now;
    this.look = hostLook(host);
    // The terminal's own cursor stays visible: screen readers and input methods follow it.
    this.#tui = new TuiMainScreen(terminal, true);
    this.#view = new TranscriptView(this.look, () => this.#shown());
    this.#editor = new Editor(this.#tui, editorTheme(this.look.style));
    this.#chat = this.#newChat();
    this.#asks = this.#askFor(this.#chat);
    this.#compose();
  }

  get chat(): ChatSession {
    return this.#chat;
  }

  /** Draws until the person leaves. Failures in between are shown and end nothing. */
  async run(begin: () => Promise<void>): Promise<void> {
    const { host, terminal } = this.#options;
    const restore = (): void => this.#tui.stop();
    const released = [
      host.onSignal(() => this.leave()),
      host.jobControl?.onExit(restore),
      host.jobControl?.onContinue(() => this.#resume()),
    ];
    const tick = setInterval(() => this.#tick(), TICK_MS);
    this.#tui.start();
    try {
      this.#attempt(begin());
      await this.#left.promise;
    } finally {
      clearInterval(tick);
      clearTimeout(this.#drawing);
      this.#asks.stop();
      this.#chat.close();
      await terminal.drainInput();
      // Leave only the transcript on the screen. A space is written where the cursor ends up, so it gets its own line.
      this.#tui.clear();
      this.#tui.addChild(this.#view);
      this.#tui.addChild(drawnLines(() => [""]));
      this.#tui.renderNow();
      this.#tui.stop();
      for (const release of released) release?.();
    }
  }

  readonly note = (lines: readonly string[]): void => {
    this.#view.note(lines);
    this.#tui.requestRender();
  };

  readonly pick = async (title: string, choices: readonly Choice[]): Promise<string | undefined> => {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const picker = new Picker(title, choices, this.look, resolve);
    this.#show(picker);
    this.#isPicking = true;
    try {
      return await promise;
    } finally {
      this.#isPicking = false;
      this.#show(this.#editor);
    }
  };

  readonly open = async (view: SessionView | undefined): Promise<void> => {
    this.#asks.stop();
    this.#chat.close();
    this.#card = [];
    this.#giveBack();
    this.#view.clear();
    this.#chat = this.#newChat();
    this.#asks = this.#askFor(this.#chat);
    if (view !== undefined) await this.#chat.open(view);
    if (view !== undefined) this.#asks.watch(view);
    this.#tui.requestRender();
  };

  readonly toggleDetails = (): void => {
    this.#view.isExpanded = !this.#view.isExpanded;
    this.#tui.requestRender();
  };

  readonly leave = (): void => {
    this.#left.resolve();
  };

  #compose(): void {
    const at = (columns: number) => ({ columns, now: this.now(), home: this.#options.host.home });
    setCapabilities({ images: null, trueColor: false, hyperlinks: false });
    for (const prompt of this.#options.history.list()) this.#editor.addToHistory(prompt);
    this.#editor.setAutocompleteProvider(createChatCompletion(() => this));
    this.#editor.onSubmit = (text) => this.#submit(text);
    this.#tui.addChild(this.#view);
    this.#tui.addChild(drawnLines(() => (this.#card.length === 0 ? [] : ["", ...this.#card])));
    this.#tui.addChild(drawnLines((columns) => ["", ...activityLines(this.#chat, this.look, at(columns))]));
    this.#tui.addChild(this.#bottom);
    this.#tui.addChild(
      drawnLines((columns) => [this.#hint === "" ? settingLine(this.#chat, this.look, at(columns)) : this.#hint]),
    );
    this.#tui.addInputListener((data) => this.#listen(data));
    this.#show(this.#editor);
  }

  /** Shows the prompt, or a list to choose from, at the bottom. */
  #show(component: Editor | Picker): void {
    this.#bottom.clear();
    this.#bottom.addChild(component);
    this.#tui.setFocus(component);
    this.#tui.requestRender();
  }

  #newChat(): ChatSession {
    return this.#options.newChat({
      onChange: () => this.#drawSoon(),
      onError: (error) => this.#complain(error),
    });
  }

  #drawSoon(): void {
    this.#drawing ??= setTimeout(() => {
      this.#drawing = undefined;
      this.#tui.requestRender();
    }, DRAW_MS);
  }

  /** Shows what waits for the person below the transcript until it is answered, here or elsewhere. */
  #askFor(chat: ChatSession): ChatAsks {
    const surface = {
      ask: (lines: readonly string[]) => {
        this.#putAside();
        this.#setCard(lines);
      },
      settle: () => this.#putAside(),
      arm: (keys: readonly string[]) => this.#setCard([...this.#card, ...keys]),
      hint: (line: string) => {
        this.#setCard([...this.#card, this.look.style.yellow(line)]);
        this.#editor.setText(this.#typed);
      },
      early: (line: string) => {
        this.#aside = joined(this.#aside, line);
        this.#setCard([...this.#card, this.look.style.yellow(KEPT)]);
      },
      answered: () => {
        this.#setCard([]);
        this.#giveBack();
      },
    };
    const { host, client } = this.#options;
    return createChatAsks({ host, client, chat, surface, onError: (error) => this.#complain(error) });
  }

  /** Text in the prompt was typed earlier: it is kept for the prompt and answers nothing. */
  #putAside(): void {
    this.#aside = joined(this.#aside, this.#editor.getExpandedText());
    this.#editor.setText("");
  }

  #giveBack(): void {
    if (this.#aside === "") return;
    this.#editor.setText(joined(this.#aside, this.#editor.getExpandedText()));
    this.#aside = "";
  }

  #setCard(lines: readonly string[]): void {
    this.#card = lines;
    this.#tui.requestRender();
  }

  #shown() {
    const { transcript, workspace, isTail, view } = this.#chat;
    const { style, glyphs } = this.look;
    const more = `${glyphs.ellipsis} what was before: ${this.command} sessions show ${view?.id}`;
    const isNew = transcript.turns.length === 0;
    return { transcript, workspace, head: isTail ? [style.dim(more)] : isNew ? this.#options.welcome : [] };
  }

  #submit(text: string): void {
    this.#typed = text;
    const isCommand = text.startsWith("/") && !text.startsWith("//");
    if ((!isCommand && this.#asks.take(text)) || text === "") return;
    this.#remember(text);
    if (isCommand) this.#attempt(runChatCommand(this, text));
    else this.#attempt(this.#chat.send(text.replace(/^\/\//, "/")));
  }

  #remember(text: string): void {
    this.#editor.addToHistory(text);
    this.#options.history.add(text);
  }

  #listen(data: string): { consume: true } | undefined {
    if (this.#isPicking) return undefined;
    const key = screenKey(data, {
      isRunning: this.#chat.running !== undefined,
      isPromptEmpty: this.#editor.getText() === "",
      isCompleting: this.#editor.isShowingAutocomplete(),
    });
    if (key === undefined) return undefined;
    this.#press(key);
    return { consume: true };
  }

  #press(key: ScreenKey): void {
    switch (key) {
      case "stop":
        return this.#attempt(this.#chat.stop());
      case "interrupt":
        return this.#interrupt();
      case "close":
        return this.leave();
      case "queue": {
        const text = this.#editor.getExpandedText().trim();
        this.#editor.setText("");
        this.#remember(text);
        return this.#attempt(this.#chat.enqueue(text));
      }
      case "details":
        return this.toggleDetails();
      case "redraw":
        return this.#tui.requestRender(true);
      case "suspend":
        return this.#suspend();
      default:
        return key satisfies never;
    }
  }

  /** Ctrl-C discards the typed text; a second one leaves. */
  #interrupt(): void {
    const now = this.now();
    if (now - this.#interruptedAt < LEAVE_MS) return this.leave();
    this.#interruptedAt = now;
    this.#editor.setText("");
    const words = this.#chat.running === undefined ? "the session is kept" : this.#options.leaveWords;
    this.#hint = this.look.style.yellow(`Press Ctrl-C again to leave: ${words}.`);
    this.#tui.requestRender();
  }

  #suspend(): void {
    const { jobControl } = this.#options.host;
    if (jobControl === undefined) return;
    this.#isSuspended = true;
    this.#tui.stop();
    jobControl.suspend();
    // A process without a job-control shell is not stopped and gets no SIGCONT.
    setTimeout(() => this.#isSuspended && this.#resume(), TICK_MS);
  }

  /** The shell had the terminal in between. */
  #resume(): void {
    if (!this.#isSuspended) this.#tui.stop();
    this.#isSuspended = false;
    this.#tui.restoreRenderState(NOTHING_DRAWN);
    this.#tui.start();
  }

  #tick(): void {
    if (this.#hint !== "" && this.now() - this.#interruptedAt >= LEAVE_MS) {
      this.#hint = "";
      this.#tui.requestRender();
    }
    if (this.#chat.running !== undefined || this.#chat.connection !== "open") this.#tui.requestRender();
  }

  #attempt(work: Promise<unknown>): void {
    void work.catch((reason: unknown) => this.#complain(CaretError.from(reason)));
  }

  #complain(error: CaretError): void {
    this.note(errorLines(error.toInfo(), this.look));
  }
}

function joined(before: string, after: string): string {
  return [before, after].filter((text) => text !== "").join(" ");
}
