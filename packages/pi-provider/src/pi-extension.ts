/** What Pi gives an extension, as far as it is used here. */
export interface PiExtension {
  registerProvider(name: string, provider: PiProvider): void;
  on(event: "session_shutdown", handler: () => Promise<void>): unknown;
}

export interface PiProvider {
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly api: string;
  readonly models: readonly PiModel[];
  readonly streamSimple: PiStream;
}

export interface PiModel {
  readonly id: string;
  readonly name: string;
  readonly reasoning: boolean;
  readonly input: readonly ("text" | "image")[];
  /** US dollars per million tokens. */
  readonly cost: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  readonly contextWindow: number;
  readonly maxTokens: number;
}

/** Pi's own objects, which are only passed on. */
export type PiStream = (model: object, context: object, options?: object) => AsyncIterable<object>;
