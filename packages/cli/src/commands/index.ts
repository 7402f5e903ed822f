import type { Command } from "commander";
import type { ExitCode, Host } from "../host.ts";

export type AddCommand = (program: Command, host: Host, done: (code: ExitCode) => void) => void;

/** Every command and where it lives. Only the one that was asked for is loaded, since a command should start at once. */
export const commands: ReadonlyMap<string, () => Promise<AddCommand>> = new Map([
  ["decode", async () => (await import("./decode.ts")).addDecodeCommand],
  ["run", async () => (await import("./run.ts")).addRunCommand],
  ["chats", async () => (await import("./chats.ts")).addChatsCommand],
  ["sessions", async () => (await import("./sessions.ts")).addSessionsCommand],
  ["config", async () => (await import("./config.ts")).addConfigCommand],
  ["models", async () => (await import("./models.ts")).addModelsCommand],
  ["doctor", async () => (await import("./doctor.ts")).addDoctorCommand],
  ["workspaces", async () => (await import("./workspaces.ts")).addWorkspacesCommand],
  ["token", async () => (await import("./token.ts")).addTokenCommand],
  ["link", async () => (await import("./link.ts")).addLinkCommand],
  ["serve", async () => (await import("./serve.ts")).addServeCommand],
]);
