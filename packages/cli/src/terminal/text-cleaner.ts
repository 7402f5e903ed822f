import { hiddenMark, oneLine } from "@caret/protocol";

/** Makes the agent's text safe to show; streamed text must keep its cleaner across pieces. */
export interface TextCleaner {
  push(text: string): string;
  /** Text held back at the end: half of a surrogate pair whose other half never came. */
  end(): string;
}

const ESC = 0x1b;
const CONTROL_SEQUENCE = 0x9b;
/** Controls that start a string for the terminal itself: a title, a link, the clipboard. */
const stringOpeners: ReadonlySet<number> = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f]);
/** The same after an escape: P, X, ], ^ and _. */
const escapedStringOpeners: ReadonlySet<number> = new Set([0x50, 0x58, 0x5d, 0x5e, 0x5f]);

/** A line end, the two cancelling controls and the string terminator. */
const endsAnything: ReadonlySet<number> = new Set([0x0a, 0x18, 0x1a, 0x9c]);

/** Text that needs no cleaning, as nearly all does. Surrogates are excluded because one may be half a pair. */
const harmless = /^[\t\n\x20-\x7e\u00a0-\u0600\u0620-\u1fff\u2010-\u2027\u2030-\u205f\u2070-\ud7ff\ue000-\ufeff]*$/;

/** Bidi controls reorder text: shown, because reviewing text that lies about itself is worse than ugly text. */
const turnsDirection = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

type State = "ground" | "escape" | "sequence" | "string";

/**
 * Removes everything by which text could control the terminal: escape sequences, operating system commands and control characters, even
 * when split between pieces. Line ends become `\n`; tabs stay.
 */
export function createTextCleaner(): TextCleaner {
  let state: State = "ground";
  let held = "";
  let afterReturn = false;

  const take = (character: string): string => {
    const code = character.codePointAt(0) ?? 0;
    if (state !== "ground") {
      state = skip(state, code);
      // Sequences never span lines here, or an unterminated one would swallow the rest of the answer.
      return code === 0x0a ? "\n" : "";
    }
    state = opened(code);
    if (state !== "ground") return "";
    const isLineFeedOfReturn = afterReturn && character === "\n";
    afterReturn = character === "\r";
    return isLineFeedOfReturn ? "" : show(character, code);
  };

  return {
    push(text) {
      if (state === "ground" && held === "" && !afterReturn && harmless.test(text)) return text;
      const all = held + text;
      held = /[\ud800-\udbff]$/.exec(all)?.[0] ?? "";
      return Array.from(all.slice(0, all.length - held.length), take).join("");
    },
    end() {
      const rest = held === "" ? "" : "\ufffd";
      held = "";
      return rest;
    },
  };
}

export function cleanText(text: string): string {
  const cleaner = createTextCleaner();
  return cleaner.push(text) + cleaner.end();
}

/** For a line of ours that quotes the agent: collapses all white space. */
export function cleanLine(text: string): string {
  return oneLine(cleanText(text));
}

/** Whether the text is one line that can be drawn unchanged. */
export function isPlainText(text: string): boolean {
  return cleanText(text) === text && !/[\n\t]/.test(text);
}

function opened(code: number): State {
  if (code === ESC) return "escape";
  if (code === CONTROL_SEQUENCE) return "sequence";
  return stringOpeners.has(code) ? "string" : "ground";
}

function skip(state: Exclude<State, "ground">, code: number): State {
  if (code === ESC) return "escape";
  if (endsAnything.has(code)) return "ground";
  if (state === "escape") return afterEscape(code);
  const isOver = state === "string" ? code === 0x07 : code >= 0x40 && code <= 0x7e;
  return isOver ? "ground" : state;
}

function afterEscape(code: number): State {
  if (code === 0x5b) return "sequence";
  if (escapedStringOpeners.has(code)) return "string";
  // Intermediate characters, as in selecting a character set, precede the final one.
  return code >= 0x20 && code <= 0x2f ? "escape" : "ground";
}

function show(character: string, code: number): string {
  if (character === "\n" || character === "\t") return character;
  if (character === "\r" || code === 0x2028 || code === 0x2029) return "\n";
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return "";
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return turnsDirection.test(character) ? hiddenMark(character) : character;
}
