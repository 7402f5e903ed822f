import type { ConnectTest } from "../api/native-requests.ts";

export type Door = ConnectTest["door"];

export interface RecipePart {
  /** The file it belongs into, or where it is typed. */
  readonly target: string;
  readonly text: string;
}

/** How one client is made to use this gateway: what to put where. */
export interface Recipe {
  readonly id: string;
  readonly name: string;
  readonly door: Door;
  readonly about: string;
  readonly parts: readonly RecipePart[];
}

export interface RecipeValues {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string;
}

/** The target of commands. */
export const TERMINAL = "Terminal";

/** How pi, and OpenClaw, which is made of it, describe a model. */
export const piModel = {
  id: "auto",
  name: "auto",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200_000,
  maxTokens: 8000,
};
