import type { AboutView, FindingView, ModelView, Secret, SessionCaller, Sessions } from "@caret/protocol";
import type { SignInLinks } from "./sign-in-links.ts";

/** What the native door needs of whoever keeps the tokens. */
export interface TokenIssuer {
  /** A token for a program, with the scopes that agents' clients need. Rejects with `invalid-request` for a bad name. */
  create(wanted: { readonly name: string; readonly workspace: string | undefined }): Promise<Secret>;
  /** A token for a browser that may do everything, under a name that tells what it is. */
  createForBrowser(): Promise<Secret>;
  /** Make a browser's token worthless. Tokens of other names stay: a script that signs out has not signed in here. */
  revokeBrowser(name: string): Promise<void>;
}

/** Directories that turns may work in, as an admin changes them. */
export interface WorkspaceList {
  /** Returns the physical path. Rejects with `workspace-missing` or, for what must not be allowed, `workspace-forbidden`. */
  allow(directory: string): Promise<string>;
  /** A small project to try things on; made at first, and allowed. */
  sample(): Promise<string>;
}

export interface NativeDoorOptions {
  readonly desk: Sessions;
  readonly about: (caller: SessionCaller) => Promise<AboutView>;
  readonly models: (wanted: { readonly refresh: boolean }) => Promise<readonly ModelView[]>;
  readonly doctor: () => Promise<readonly FindingView[]>;
  readonly tokens: TokenIssuer;
  readonly workspaces: WorkspaceList;
  readonly links: SignInLinks;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** How long a stream may be silent before a sign of life. */
  readonly keepAliveMs: number;
  /** How long a new WebSocket may take to say where to begin. */
  readonly sinceMs?: number;
}
