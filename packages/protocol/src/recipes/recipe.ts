import type { ConnectTest } from "../api/native-requests.ts";
import { toShell } from "../text/shell-words.ts";
import type { Installation } from "./installation.ts";
import type { Launch } from "./launch.ts";

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
  /** Absent for a client that starts Caret itself, by ACP or MCP: it needs neither address nor token. */
  readonly door?: Door;
  readonly about: string;
  readonly parts: readonly RecipePart[];
  /** What `caret install` writes for it. Absent: it has no settings of its own. */
  readonly installation?: Installation;
  /** How `caret launch` starts it. Absent: it is no program of a terminal. */
  readonly launch?: Launch;
}

export interface RecipeValues {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string;
  /** Where Caret is on the machine of the client. */
  readonly machine: RecipeMachine;
}

export interface RecipeMachine {
  /** What starts Caret: the program and its first arguments. */
  readonly caret: readonly string[];
  /** What prints the client's token. */
  readonly tokenCommand: readonly string[];
  /** Caret's data directory, where it is not the usual one: what a client starts of Caret must be given it. */
  readonly dataDir?: string;
  /** The file that keeps the client's token. */
  readonly tokenFile: string;
  /** Where Caret's packages for clients are: a directory. */
  readonly packages: string;
  /** The module of the plugin for OpenCode, below that. */
  readonly openCodePlugin: string;
}

/** Recipes that are only shown: Caret is on the path, and a person puts the token in. */
export const shownMachine: RecipeMachine = {
  caret: ["caret"],
  tokenCommand: ["caret", "token", "print"],
  tokenFile: "<token file>",
  packages: "<packages of Caret>",
  openCodePlugin: "opencode-plugin/src/index.ts",
};

/** `caret` with a subcommand, as a client starts it: for the gateway of this data directory. */
export function caretWords({ caret, dataDir }: RecipeMachine, subcommand: string): readonly string[] {
  return [...caret, subcommand, ...(dataDir === undefined ? [] : ["--data-dir", dataDir])];
}

/** A command of a client that finds the gateway by Caret's data directory. */
export function withDataDir({ dataDir }: RecipeMachine, command: string): string {
  return dataDir === undefined ? command : `CARET_DATA_DIR=${toShell([dataDir])} ${command}`;
}

/** The target of commands. */
export const TERMINAL = "Terminal";

/** The window that each recipe claims for `auto`, which leaves the model to Cursor. */
export const CONTEXT_WINDOW = 200_000;
export const OUTPUT_LIMIT = 8000;
