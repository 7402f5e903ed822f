import type { Command } from "commander";
import type { ExitCode, Host } from "../host.ts";

export type AddCommand = (program: Command, host: Host, done: (code: ExitCode) => void) => void;

export interface CommandEntry {
  /** The heading it stands under in the help. */
  readonly group: string;
  readonly load: () => Promise<AddCommand>;
}

const start = "Start here:";
const kept = "What is kept:";
const setUp = "Set-up:";
const recordings = "Recordings:";

/**
 * Every command and where it lives, in the order of the help. Only the one that was asked for is loaded, since a command
 * should start at once.
 */
export const commands: ReadonlyMap<string, CommandEntry> = new Map([
  ["serve", { group: start, load: async () => (await import("./serve.ts")).addServeCommand }],
  ["run", { group: start, load: async () => (await import("./run.ts")).addRunCommand }],
  ["link", { group: start, load: async () => (await import("./link.ts")).addLinkCommand }],
  ["doctor", { group: start, load: async () => (await import("./doctor.ts")).addDoctorCommand }],
  ["sessions", { group: kept, load: async () => (await import("./sessions.ts")).addSessionsCommand }],
  ["chats", { group: kept, load: async () => (await import("./chats.ts")).addChatsCommand }],
  ["workspaces", { group: setUp, load: async () => (await import("./workspaces.ts")).addWorkspacesCommand }],
  ["models", { group: setUp, load: async () => (await import("./models.ts")).addModelsCommand }],
  ["token", { group: setUp, load: async () => (await import("./token.ts")).addTokenCommand }],
  ["config", { group: setUp, load: async () => (await import("./config.ts")).addConfigCommand }],
  ["decode", { group: recordings, load: async () => (await import("./decode.ts")).addDecodeCommand }],
]);
