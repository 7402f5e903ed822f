import type { ConnectTest } from "../api/native-requests.ts";
import { toShell } from "../text/shell-words.ts";
import type { Installation } from "./installation.ts";
import type { Launch } from "./launch.ts";

export type Door = ConnectTest["door"];

export interface RecipePart {
  /** The file it goes into, or the place where it is typed. */
  readonly target: string;
  readonly text: string;
}

/** How to set up one client for this gateway: what to put where. */
export interface Recipe {
  readonly id: string;
  readonly name: string;
  /** Omitted for clients that start Caret themselves, by ACP or MCP: they need neither address nor token. */
  readonly door?: Door;
  readonly about: string;
  readonly parts: readonly RecipePart[];
  /** What `caret install` writes. Omitted if the client has no settings of its own. */
  readonly installation?: Installation;
  /** How `caret launch` starts it. Omitted if it is not a terminal program. */
  readonly launch?: Launch;
}

export interface RecipeValues {
  /** Without a trailing slash. */
  readonly url: string;
  readonly token: string;
  /** Where Caret is on the client's machine. */
  readonly machine: RecipeMachine;
}

export interface RecipeMachine {
  /** The command that starts Caret: program and leading arguments. */
  readonly caret: readonly string[];
  /** The command that prints the client's token. */
  readonly tokenCommand: readonly string[];
  /** Caret's data directory if not the default: any Caret command the client starts needs it. */
  readonly dataDir?: string;
  /** The file that holds the client's token. */
  readonly tokenFile: string;
  /** The directory of Caret's packages for clients. */
  readonly packages: string;
  /** The OpenCode plugin's module, relative to `packages`. */
  readonly openCodePlugin: string;
}

/** Values for recipes that are only displayed: Caret is on the path, and a person fills in the token. */
export const shownMachine: RecipeMachine = {
  caret: ["caret"],
  tokenCommand: ["caret", "token", "print"],
  tokenFile: "<token file>",
  packages: "<packages of Caret>",
  openCodePlugin: "opencode-plugin/src/index.ts",
};

/** `caret` with a subcommand, for a client to start, using this data directory's gateway. */
export function caretWords({ caret, dataDir }: RecipeMachine, subcommand: string): readonly string[] {
  return [...caret, subcommand, ...(dataDir === undefined ? [] : ["--data-dir", dataDir])];
}

/** A client command that finds the gateway by Caret's data directory. */
export function withDataDir({ dataDir }: RecipeMachine, command: string): string {
  return dataDir === undefined ? command : `CARET_DATA_DIR=${toShell([dataDir])} ${command}`;
}

/** Target of parts that are commands. */
export const TERMINAL = "Terminal";

/** The context window that each recipe claims for `auto`, which leaves the choice of model to Cursor. */
export const CONTEXT_WINDOW = 200_000;
export const OUTPUT_LIMIT = 8000;
