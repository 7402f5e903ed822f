import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import { fuzzyFilter } from "@earendil-works/pi-tui";
import { isPlainText } from "../terminal/text-cleaner.ts";
import { agentCommandChoices, listAgentCommands } from "./agent-commands.ts";
import type { ChatControls } from "./chat-command.ts";
import { chatCommands } from "./chat-commands.ts";

type Sources = Pick<ChatControls, "client" | "chat">;

/**
 * Completes `/command` (Caret's own first, then the agent's), its argument, and `@file`, using the gateway's search, which respects Git
 * ignores.
 */
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
      // The list may belong to an earlier key press: what was typed since wins.
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
  // With a list open, Enter would pick from it instead of sending the line, so only Tab opens it.
  if (!isAsked) return undefined;
  const choices = (await chatCommands.find((command) => command.name === name)?.choices?.(sources)) ?? [];
  return { items: fuzzyFilter([...choices] as AutocompleteItem[], argument, textOf), prefix: argument };
}

const ownNames: ReadonlySet<string> = new Set(chatCommands.map(({ name }) => name));

interface AgentItems {
  /** The items last read for this workspace and lane. */
  list(): readonly AutocompleteItem[];
  refresh(): void;
}

/**
 * Reads the list ahead, and again whenever a command is begun: waiting for the gateway would open it after Enter, and fast typing would get
 * no completion.
 */
function createAgentItems(sources: () => Sources): AgentItems {
  let known: { readonly place: string; readonly items: readonly AutocompleteItem[] } | undefined;
  const placeOf = ({ chat }: Sources): string => `${chat.lane} ${chat.workspace}`;
  const read = async (now: Sources): Promise<void> => {
    const place = placeOf(now);
    // On failure only Caret's own are offered; running one reports the error.
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
  /** The person pressed Tab. */
  readonly isAsked: boolean;
}

async function fileItems(before: string, { client, chat }: Sources): Promise<AutocompleteSuggestions | undefined> {
  const prefix = /(?:^|\s)(@\S*)$/.exec(before)?.[1];
  if (prefix === undefined) return undefined;
  // Nothing would catch an error in the editor: in a directory not yet allowed, or without the gateway, no files are offered.
  const files = await client.findFiles(chat.workspace, prefix.slice(1)).catch(() => []);
  return { items: fileChoices(files), prefix };
}

/** Choices are drawn as typed, so a name with terminal control characters cannot be chosen. */
export function fileChoices(paths: readonly string[]): AutocompleteItem[] {
  return paths.filter(isPlainText).map((path) => ({ value: `@${path}`, label: path }));
}

function textOf({ label, description = "" }: AutocompleteItem): string {
  return `${label} ${description}`;
}
