import {
  CaretError,
  type LaneName,
  type PermissionWord,
  permissionWords,
  type SandboxWord,
  sandboxWords,
} from "@caret/protocol";
import { physicalPath, turnModes } from "@caret/runtime";
import { type Command, Option } from "commander";
import type { ChatControls } from "../../chat/chat-command.ts";
import type { ChatMode } from "../../chat/chat-session.ts";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { absolutePath } from "../../config/config-paths.ts";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";

interface ChatOptions {
  readonly session?: string;
  readonly continue?: boolean;
  readonly lane?: LaneName | "auto";
  readonly model?: string;
  readonly workspace?: string;
  readonly mode?: ChatMode;
  readonly permission?: PermissionWord;
  readonly sandbox?: SandboxWord;
  readonly plain?: boolean;
}

export function addChatCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("chat")
    .description("talk with the agent in this terminal")
    .argument("[prompt...]", "what to ask first")
    .addOption(new Option("-s, --session <id>", "go on with this session; the beginning of its id suffices"))
    .addOption(new Option("-c, --continue", "choose a session of the workspace to go on with").conflicts("session"))
    .addOption(new Option("--lane <name>", "how to reach an agent").choices(["auto", "cli", "acp", "api", "sim"]))
    .option("-m, --model <name>", "the model to use")
    .option("-w, --workspace <dir>", "the directory to work in (default: the current one)")
    .addOption(new Option("--mode <name>", "work, only plan, or only answer").choices(turnModes))
    .addOption(new Option("--permission <word>", "how much happens without asking").choices(permissionWords))
    .addOption(new Option("--sandbox <word>", "what its processes are walled in by").choices(sandboxWords))
    .option("--plain", "line by line, nothing drawn again: for screen readers");
  addConfigFlags(command).action(async (words: readonly string[], options: ChatOptions) =>
    done(await chat(host, words.join(" ").trim(), options)),
  );
}

async function chat(host: Host, prompt: string, options: ChatOptions): Promise<ExitCode> {
  if (host.stdin.isTTY !== true)
    throw new CaretError("invalid-request", "`caret chat` needs a terminal to type in", {
      fix: "Use `caret run`, which takes its prompt from the command line or a pipe.",
    });
  const { openChat } = await import("../../chat/open-chat.ts");
  const workspace = absolutePath(options.workspace ?? ".", { ...host, base: host.cwd });
  await openChat(host, {
    loaded: loadHostConfig(host, { ...options }),
    wanted: { workspace, ...chosen(options) },
    mode: options.mode ?? "agent",
    isPlain: options.plain === true,
    begin: async (controls) => {
      await openFirst(controls, options);
      if (prompt !== "") await controls.chat.send(prompt);
    },
  });
  return exitCodes.completed;
}

function chosen({ lane, model, permission, sandbox }: ChatOptions) {
  return {
    ...(lane === undefined || lane === "auto" ? {} : { lane }),
    ...(model === undefined ? {} : { model }),
    ...(permission === undefined ? {} : { permission }),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
}

/** Opens the requested session, one chosen from a list, or a new one. */
async function openFirst(controls: ChatControls, { session, continue: isContinued }: ChatOptions): Promise<void> {
  const [{ findView }, { listForPicker, sessionChoice }] = await Promise.all([
    import("../../chat/find-view.ts"),
    import("../../chat/session-choices.ts"),
  ]);
  if (session !== undefined) return await controls.open(await findView(controls.client, session));
  if (isContinued !== true) return;
  const { workspace } = controls.chat;
  const all = await listForPicker(controls.client, workspace);
  const here = all.filter((view) => physicalPath(view.workspace) === physicalPath(workspace));
  const [newest] = here;
  if (newest === undefined)
    throw new CaretError("session-not-found", "This workspace has no session to continue", {
      fix: "Type /sessions for those of other workspaces, or just begin.",
    });
  const id =
    here.length === 1
      ? newest.id
      : await controls.pick(
          "Go on with",
          here.map((view) => sessionChoice(view, controls.now())),
        );
  const view = here.find((one) => one.id === id);
  if (view !== undefined) await controls.open(view);
}
