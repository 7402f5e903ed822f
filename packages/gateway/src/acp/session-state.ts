import type { NewSessionResponse, SessionUpdate } from "@agentclientprotocol/sdk";
import {
  CaretError,
  type ChangeSession,
  type LaneName,
  type NativeClient,
  type PermissionWord,
  promptTokens,
  type SessionView,
  type Usage,
} from "@caret/protocol";
import { configOptions, modelOf, modesOf, type SessionChoices, type TurnMode, turnModes } from "./config-options.ts";

/** A session and its choices, as last sent to its client. */
export class SessionState {
  #choices: SessionChoices;

  constructor(choices: SessionChoices) {
    this.#choices = choices;
  }

  static async read(caret: Pick<NativeClient, "about" | "models">, view: SessionView): Promise<SessionState> {
    // A gateway that cannot list its models still runs turns with the selected one.
    const [about, models] = await Promise.all([caret.about(), caret.models().catch(() => [])]);
    return new SessionState({ view, mode: "agent", about, models });
  }

  get mode(): TurnMode {
    return this.#choices.mode;
  }

  /** For the answers to new, load and resume. `models` is from the protocol before config options, for older clients. */
  answer(): Omit<NewSessionResponse, "sessionId"> {
    const currentModelId = modelOf(this.#choices);
    const availableModels = this.#choices.models.map(({ id, name }) => ({ modelId: id, name }));
    const models = { currentModelId, availableModels };
    return { modes: modesOf(this.#choices), configOptions: this.options(), ...{ models } };
  }

  options(): ReturnType<typeof configOptions> {
    return configOptions(this.#choices);
  }

  setMode(mode: string): void {
    const known = turnModes.find((candidate) => candidate === mode);
    if (known === undefined) throw notAnOption("mode", mode, turnModes);
    this.#choices = { ...this.#choices, mode: known };
  }

  /** What the gateway has to change. Undefined if the choice is the client's alone. */
  change(configId: string, value: unknown): ChangeSession | undefined {
    const option = this.options().find(({ id }) => id === configId);
    if (option?.type !== "select")
      throw notAnOption(
        "config option",
        configId,
        this.options().map(({ id }) => id),
      );
    const values = option.options.flatMap((each) => ("value" in each ? [each.value] : []));
    // Models that are not listed may exist: the gateway knows.
    if (typeof value !== "string" || (configId !== "model" && !values.includes(value)))
      throw notAnOption(configId, String(value), values);
    switch (configId) {
      case "mode":
        this.setMode(value);
        return undefined;
      case "permission":
        return { permission: value as PermissionWord };
      case "lane":
        return { lane: value as LaneName };
      default:
        return { model: value };
    }
  }

  /** What to send to the client for this view of the session; nothing if the view is older than the last and only arrived late. */
  update(view: SessionView): readonly SessionUpdate[] {
    const before = this.#choices.view;
    if (isOlder(view, before)) return [];
    const had = JSON.stringify(this.options());
    this.#choices = { ...this.#choices, view };
    const updatedAt = new Date(view.updatedAt).toISOString();
    return [
      ...(view.title === before.title
        ? []
        : [{ sessionUpdate: "session_info_update" as const, title: view.title, updatedAt }]),
      ...(JSON.stringify(this.options()) === had
        ? []
        : [{ sessionUpdate: "config_option_update" as const, configOptions: this.options() }]),
    ];
  }

  /** Only if the size of the model's context is known: the protocol demands one, and we do not invent it. */
  usageUpdate(usage: Usage | undefined): readonly SessionUpdate[] {
    const { view, models } = this.#choices;
    const model = modelOf(this.#choices);
    const size = models.find(
      ({ id, variants }) => id === model || variants.some((own) => own.id === model),
    )?.contextTokens;
    if (usage === undefined || size === undefined) return [];
    const amount = view.usage?.cost;
    return [
      {
        sessionUpdate: "usage_update",
        used: promptTokens(usage) + (usage.output ?? 0),
        size,
        ...(amount === undefined ? {} : { cost: { amount, currency: "USD" } }),
      },
    ];
  }
}

function isOlder(view: SessionView, known: SessionView): boolean {
  return view.lastSeq === known.lastSeq ? view.updatedAt < known.updatedAt : view.lastSeq < known.lastSeq;
}

function notAnOption(what: string, value: string, known: readonly string[]): CaretError {
  return new CaretError("invalid-request", `There is no ${what} \`${value}\``, {
    fix: `Choose one of: ${known.join(", ")}.`,
  });
}
