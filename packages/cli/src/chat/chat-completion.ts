import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import { fuzzyFilter } from "@earendil-works/pi-tui";
import { isPlainText } from "../terminal/text-cleaner.ts";
import { agentCommandChoices, listAgentCommands } from "./agent-commands.ts";
import type { ChatControls } from "./chat-command.ts";
import { chatCommands } from "./chat-commands.ts";

type Sources = Pick<ChatControls, "client" | "chat">;

/** Completes `/command`, Caret's own and then the agent's, its argument, and `@file` by the gateway's own search, which knows what Git ignores. */
export function createChatCompletion(sources: () => Sources): AutocompleteProvider {
  const agentItems = createAgentItems(sources);
  agentItems.refresh();
  return {
    triggerCharacters: ["@"],
    async getSuggestions(lines, cursorLine, cursorCol, { signal, force = false }) {
      const before = (lines[cursorLine] ?? "").slice(0, cursorCol);
      const isFirst = cursorLine === 0;
      const found =
        isFirst && before.startsWith("/")
          ? await commandItems(before, { sources: sources(), agentItems, isAsked: force })
          : await fileItems(before, sources());
      return signal.aborted || found === undefined || found.items.length === 0 ? null : found;
    },
    applyCompletion(lines, cursorLine, cursorCol, item, prefix) {
      const line = lines[cursorLine] ?? "";
      // The list is that of an earlier key: what was typed since counts.
      if (!line.slice(0, cursorCol).endsWith(prefix)) return { lines, cursorLine, cursorCol };
      const start = cursorCol - prefix.length;
      const text = `${item.value} `;
      const changed = `${line.slice(0, start)}${text}${line.slice(cursorCol).trimStart()}`;
      return { lines: lines.with(cursorLine, changed), cursorLine, cursorCol: start + text.length };
    },
  };
}

async function commandItems(
  before: string,
  { sources, agentItems, isAsked }: CommandItemsOptions,
): Promise<AutocompleteSuggestions | undefined> {
  const [, name = "", argument] = /^\/(\S*)(?:\s+(|\S.*))?$/.exec(before) ?? [];
  if (argument === undefined) {
    const items = chatCommands.map((command) => ({
      value: `/${command.name}`,
      label: `/${command.name}`,
      description: command.summary,
    }));
    const all = [...items, ...agentItems.list()];
    if (name === "") agentItems.refresh();
    return { items: all.filter(({ value }) => value.startsWith(before)), prefix: before };
  }
  // With a list open, Enter would take from it instead of sending what was typed: it opens by Tab only.
  if (!isAsked) return undefined;
  const choices = (await chatCommands.find((command) => command.name === name)?.choices?.(sources)) ?? [];
  return { items: fuzzyFilter([...choices] as AutocompleteItem[], argument, textOf), prefix: argument };
}

const ownNames: ReadonlySet<string> = new Set(chatCommands.map(({ name }) => name));

interface AgentItems {
  /** Those of this workspace and lane that were read last. */
  list(): readonly AutocompleteItem[];
  refresh(): void;
}

/**
 * Read ahead, and again whenever a command is begun: a list that waited for the gateway would open after Enter, and what is typed
 * fast would not be completed.
 */
function createAgentItems(sources: () => Sources): AgentItems {
  let known: { readonly place: string; readonly items: readonly AutocompleteItem[] } | undefined;
  const placeOf = ({ chat }: Sources): string => `${chat.lane} ${chat.workspace}`;
  const read = async (now: Sources): Promise<void> => {
    const place = placeOf(now);
    // Without them Caret's own are offered; running one says what is wrong.
    const commands = await listAgentCommands(now).catch(() => []);
    known = { place, items: agentCommandChoices(commands, ownNames) };
  };
  return {
    list: () => (known?.place === placeOf(sources()) ? known.items : []),
    refresh: () => void read(sources()),
  };
}

interface CommandItemsOptions {
  readonly sources: Sources;
  readonly agentItems: AgentItems;
  /** By Tab. */
  readonly isAsked: boolean;
}

async function fileItems(before: string, { client, chat }: Sources): Promise<AutocompleteSuggestions | undefined> {
  const prefix = /(?:^|\s)(@\S*)$/.exec(before)?.[1];
  if (prefix === undefined) return undefined;
  // The editor has nobody who would catch it: in a directory that is not allowed yet, or without the gateway, none is offered.
  const files = await client.findFiles(chat.workspace, prefix.slice(1)).catch(() => []);
  return { items: fileChoices(files), prefix };
}

/** What is chosen is drawn as it is typed: a name with characters in it that steer the terminal cannot be chosen. */
export function fileChoices(paths: readonly string[]): AutocompleteItem[] {
  return paths.filter(isPlainText).map((path) => ({ value: `@${path}`, label: path }));
}

function textOf({ label, description = "" }: AutocompleteItem): string {
  return `${label} ${description}`;
}
