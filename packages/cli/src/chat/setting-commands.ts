import { CaretError, type PermissionWord, permissionWords } from "@caret/protocol";
import { cleanLine } from "../terminal/text-cleaner.ts";
import type { ChatCommand, ChatDesk, Choice } from "./chat-command.ts";
import type { ChatMode } from "./chat-session.ts";

const modes: Readonly<Record<ChatMode, string>> = {
  agent: "read, change and run",
  plan: "read, and make a plan; /build has it built",
  ask: "read, and answer",
};

const permissions: Readonly<Record<PermissionWord, string>> = {
  supervised: "asks before every change and command",
  "auto-edits": "changes files in the workspace, asks before commands",
  auto: "asks only before what is dangerous",
  full: "never asks: the agent runs its own tools",
};

const choicesOf = (words: Readonly<Record<string, string>>): readonly Choice[] =>
  Object.entries(words).map(([value, description]) => ({ value, label: value, description }));

/** What the next turns of the session run with. */
export const settingCommands: readonly ChatCommand[] = [
  {
    name: "model",
    argument: "[name]",
    summary: "choose the model of the next turns",
    choices: modelChoices,
    async run(desk, argument) {
      const model = await chosen(desk, "Model", argument, modelChoices);
      if (model === undefined) return;
      await desk.chat.change({ model });
      say(desk, `The next turns use ${model}.`);
    },
  },
  {
    name: "mode",
    argument: "[name]",
    summary: "work, only plan, or only answer",
    choices: async () => choicesOf(modes),
    async run(desk, argument) {
      const mode = await chosen(desk, "Mode", argument, async () => choicesOf(modes));
      if (mode === undefined) return;
      desk.chat.mode = oneOf(mode, Object.keys(modes) as ChatMode[]);
      say(desk, `Mode ${mode}: ${modes[desk.chat.mode]}.`);
    },
  },
  {
    name: "permission",
    argument: "[word]",
    summary: "how much happens without asking",
    choices: async () => choicesOf(permissions),
    async run(desk, argument) {
      const word = await chosen(desk, "Permission", argument, async () => choicesOf(permissions));
      if (word === undefined) return;
      const permission = oneOf(word, permissionWords);
      await desk.chat.change({ permission });
      say(desk, `Permission ${permission}: ${permissions[permission]}.`);
    },
  },
  {
    name: "grants",
    argument: "[forget N]",
    summary: "what you have allowed; forget N takes it back",
    run: showGrants,
  },
];

async function modelChoices({ client }: Pick<ChatDesk, "client">): Promise<readonly Choice[]> {
  const models = await client.models();
  return models.flatMap(({ id, name, variants }) => [
    { value: id, label: id, description: cleanLine(name) },
    ...variants.map((variant) => ({ value: variant.id, label: variant.id, description: cleanLine(variant.label) })),
  ]);
}

async function showGrants(desk: ChatDesk, argument: string): Promise<void> {
  const { view } = desk.chat;
  const grants = view === undefined ? [] : await desk.client.listGrants(view.id);
  const number = /^forget\s+(\d+)$/.exec(argument)?.[1];
  if (number === undefined || view === undefined) {
    const lines = grants.map(({ label, uses }, index) => `  ${index + 1}  ${cleanLine(label)}  (used ${uses} times)`);
    return desk.note(lines.length === 0 ? ["Nothing is allowed beyond the permission."] : lines);
  }
  const grant = grants[Number(number) - 1];
  if (grant === undefined) throw new CaretError("invalid-request", `There is no grant ${number}`);
  await desk.client.revokeGrant(view.id, grant.id);
  say(desk, `Asked about again from now on: ${grant.label}.`);
}

/** The argument, or what a person picks. */
async function chosen(
  desk: ChatDesk,
  title: string,
  argument: string,
  choices: NonNullable<ChatCommand["choices"]>,
): Promise<string | undefined> {
  return argument === "" ? await desk.pick(title, await choices(desk)) : argument;
}

function oneOf<Word extends string>(word: string, words: readonly Word[]): Word {
  const found = words.find((known) => known === word);
  if (found !== undefined) return found;
  throw new CaretError("invalid-request", `${JSON.stringify(word)} is not one of ${words.join(", ")}`);
}

function say({ note, look }: ChatDesk, text: string): void {
  note([look.style.dim(`${look.glyphs.notice} ${cleanLine(text)}`)]);
}
