import { type Component, type Focusable, fuzzyFilter, Input, matchesKey, SelectList } from "@earendil-works/pi-tui";
import type { Look } from "../terminal/look.ts";
import type { Choice } from "./chat-command.ts";
import { selectTheme } from "./chat-theme.ts";

const VISIBLE = 10;
const LABEL_COLUMNS = 48;

/** A list to choose from; typing filters it. */
export class Picker implements Component, Focusable {
  readonly #title: string;
  readonly #choices: readonly Choice[];
  readonly #look: Look;
  readonly #done: (value: string | undefined) => void;
  readonly #filter = new Input();
  #list: SelectList;

  constructor(title: string, choices: readonly Choice[], look: Look, done: (value: string | undefined) => void) {
    this.#title = title;
    this.#choices = choices;
    this.#look = look;
    this.#done = done;
    this.#list = this.#narrowed();
  }

  get focused(): boolean {
    return this.#filter.focused;
  }

  set focused(isFocused: boolean) {
    this.#filter.focused = isFocused;
  }

  invalidate(): void {
    this.#filter.invalidate();
    this.#list.invalidate();
  }

  render(columns: number): string[] {
    const { style } = this.#look;
    const keys = style.dim("↑ ↓ choose · Enter takes it · Esc leaves it · type to narrow");
    return [
      style.bold(this.#title),
      ...this.#filter.render(columns),
      ...this.#list.render(columns),
      ...(columns > 60 ? [keys] : []),
    ];
  }

  handleInput(data: string): void {
    const isForList = ["up", "down", "pageUp", "pageDown", "enter", "escape", "ctrl+c"] as const;
    if (isForList.some((key) => matchesKey(data, key))) return this.#list.handleInput(data);
    this.#filter.handleInput(data);
    this.#list = this.#narrowed();
  }

  #narrowed(): SelectList {
    const words = this.#filter.getValue();
    const found = fuzzyFilter([...this.#choices], words, ({ label, description = "" }) => `${label} ${description}`);
    const list = new SelectList(found, VISIBLE, selectTheme(this.#look.style), {
      maxPrimaryColumnWidth: LABEL_COLUMNS,
    });
    list.onSelect = ({ value }) => this.#done(value);
    list.onCancel = () => this.#done(undefined);
    return list;
  }
}
