import { expect, it } from "vitest";
import { screenKey } from "./chat-keys.ts";

const idle = { isRunning: false, isPromptEmpty: true, isCompleting: false };

it("stops a turn by Esc only when no list of completions is open and a turn runs", () => {
  const keys = [idle, { ...idle, isRunning: true }, { ...idle, isRunning: true, isCompleting: true }].map((moment) =>
    screenKey("\u001b", moment),
  );
  expect(keys).toEqual([undefined, "stop", undefined]);
});

it("queues by Alt-Enter while a turn runs, and leaves it to the prompt as a new line otherwise", () => {
  const typed = { ...idle, isPromptEmpty: false };
  expect([screenKey("\u001b\r", { ...typed, isRunning: true }), screenKey("\u001b\r", typed)]).toEqual([
    "queue",
    undefined,
  ]);
});

it("leaves by Ctrl-D only from an empty prompt, where it deletes nothing", () => {
  expect([screenKey("\u0004", idle), screenKey("\u0004", { ...idle, isPromptEmpty: false })]).toEqual([
    "close",
    undefined,
  ]);
});

it("leaves every printable key to the prompt: no single letter decides anything", () => {
  const letters = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
  expect(letters.filter((letter) => screenKey(letter, { ...idle, isRunning: true }) !== undefined)).toEqual([]);
});
