import { CaretError, type PermissionWord, permissionWords } from "@caret/protocol";
import { cleanLine } from "../terminal/text-cleaner.ts";
import type { ChatCommand, ChatControls, Choice } from "./chat-command.ts";
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

/** Settings of the session's next turns. */
export const settingCommands: readonly ChatCommand[] = [
  {
    name: "model",
    argument: "[name]",
    summary: "choose the model of the next turns",
    choices: modelChoices,
    async run(controls, argument) {
      const model = await chosen(controls, "Model", argument, modelChoices);
      if (model === undefined) return;
      await controls.chat.change({ model });
      say(controls, `The next turns use ${model}.`);
    },
  },
  {
    name: "mode",
    argument: "[name]",
    summary: "work, only plan, or only answer",
    choices: async () => choicesOf(modes),
    async run(controls, argument) {
      const mode = await chosen(controls, "Mode", argument, async () => choicesOf(modes));
      if (mode === undefined) return;
      controls.chat.mode = oneOf(mode, Object.keys(modes) as ChatMode[]);
      say(controls, `Mode ${mode}: ${modes[controls.chat.mode]}.`);
    },
  },
  {
    name: "permission",
    argument: "[word]",
    summary: "how much happens without asking",
    choices: async () => choicesOf(permissions),
    async run(controls, argument) {
      const word = await chosen(controls, "Permission", argument, async () => choicesOf(permissions));
      if (word === undefined) return;
      const permission = oneOf(word, permissionWords);
      await controls.chat.change({ permission });
      say(controls, `Permission ${permission}: ${permissions[permission]}.`);
    },
  },
  {
    name: "grants",
    argument: "[forget N]",
    summary: "what you have allowed; forget N takes it back",
    run: showGrants,
  },
];

async function modelChoices({ client }: Pick<ChatControls, "client">): Promise<readonly Choice[]> {
  const models = await client.models();
  return models.flatMap(({ id, name, variants }) => [
    { value: id, label: id, description: cleanLine(name) },
    ...variants.map((variant) => ({ value: variant.id, label: variant.id, description: cleanLine(variant.label) })),
  ]);
}

async function showGrants(controls: ChatControls, argument: string): Promise<void> {
  const { view } = controls.chat;
  const grants = view === undefined ? [] : await controls.client.listGrants(view.id);
  const number = /^forget\s+(\d+)$/.exec(argument)?.[1];
  if (number === undefined || view === undefined) {
    const lines = grants.map(({ label, uses }, index) => `  ${index + 1}  ${cleanLine(label)}  (used ${uses} times)`);
    return controls.note(lines.length === 0 ? ["Nothing is allowed beyond the permission."] : lines);
  }
  const grant = grants[Number(number) - 1];
  if (grant === undefined) throw new CaretError("invalid-request", `There is no grant ${number}`);
  await controls.client.revokeGrant(view.id, grant.id);
  say(controls, `Asked about again from now on: ${grant.label}.`);
}

/** The argument or, without one, what the person picks. */
async function chosen(
  controls: ChatControls,
  title: string,
  argument: string,
  choices: NonNullable<ChatCommand["choices"]>,
): Promise<string | undefined> {
  return argument === "" ? await controls.pick(title, await choices(controls)) : argument;
}

function oneOf<Word extends string>(word: string, words: readonly Word[]): Word {
  const found = words.find((known) => known === word);
  if (found !== undefined) return found;
  throw new CaretError("invalid-request", `${JSON.stringify(word)} is not one of ${words.join(", ")}`);
}

function say({ note, look }: ChatControls, text: string): void {
  note([look.style.dim(`${look.glyphs.notice} ${cleanLine(text)}`)]);
}
