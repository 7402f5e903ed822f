import type {
  AboutView,
  Agents,
  Caller,
  ChangeSettings,
  Comparisons,
  FindingView,
  FleetView,
  ModelView,
  Secret,
  Sessions,
  SettingsView,
} from "@caret/protocol";
import type { SignInLinks } from "./sign-in-links.ts";

/** What the native door needs of the token store. */
export interface TokenIssuer {
  /** Creates a token for a program, with the scopes that clients of the doors need. Rejects with `invalid-request` for a bad name. */
  create(wanted: { readonly name: string; readonly caller: Caller }): Promise<Secret>;
  /** Creates an admin token for a browser, named `browser-…`, for the user who made its sign-in link. */
  createForBrowser(maker: Caller): Promise<Secret>;
  /** Revokes a browser's token. Other tokens stay: a script that signs out did not sign in here. */
  revokeBrowser(name: string): Promise<void>;
}

/** Changes which directories turns may work in. */
export interface WorkspaceList {
  /** Resolves to the physical path. Rejects with `workspace-missing` or `workspace-forbidden`. */
  allow(directory: string): Promise<string>;
  /** The same, only until the gateway ends. */
  allowForNow(directory: string): Promise<string>;
  /** The path of a small sample project, created on first use and allowed. */
  sample(): Promise<string>;
}

/** The settings of the gateway, in the user's own file. */
export interface UserSettings {
  /** Rejects with `invalid-config` if the file cannot be read. */
  read(): Promise<SettingsView>;
  /** Atomic. Rejects with `invalid-request` if it would make the file invalid. */
  change(wanted: ChangeSettings): Promise<SettingsView>;
  /** Sends a test to the webhook as currently set. Rejects with what went wrong. */
  testWebhook(): Promise<void>;
}

export interface NativeDoorOptions {
  readonly sessions: Sessions;
  /** Absent if there are no agents here. */
  readonly agents?: Agents;
  readonly comparisons: Comparisons;
  readonly about: (caller: Caller) => Promise<AboutView>;
  readonly models: (wanted: { readonly refresh: boolean }) => Promise<readonly ModelView[]>;
  readonly doctor: () => Promise<readonly FindingView[]>;
  /** Absent if the gateway stands alone. */
  readonly fleet?: (() => Promise<FleetView>) | undefined;
  readonly tokens: TokenIssuer;
  readonly workspaces: WorkspaceList;
  /** Absent if the settings belong to the program that embeds the gateway. */
  readonly settings?: UserSettings | undefined;
  readonly links: SignInLinks;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** After this much silence a stream sends a keep-alive. */
  readonly keepAliveMs: number;
  /** Time-out for the first message of a new WebSocket. */
  readonly sinceMs?: number;
}
