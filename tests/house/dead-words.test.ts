import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { noticeKinds } from "@caret/protocol";
import { expect, it } from "vitest";
import { root } from "./lint-planted.ts";

const sources = globSync("packages/*/src/**/*.ts", { cwd: root });
const read = (path: string): string => readFileSync(join(root, path), "utf8");

it("house §4.12: the runtime emits every kind of notice", () => {
  const emitting = sources.filter((path) => path.startsWith("packages/runtime/") && !/\.test\.|\/testing\//.test(path));
  const runtime = emitting.map(read).join("\n");
  expect(noticeKinds.filter((kind) => !runtime.includes(`"${kind}"`))).toEqual([]);
});

it("house §4.12: every flag that a comment or a page of commands names exists", () => {
  const programs = sources.filter((path) => /^packages\/(?:cli|simulator)\//.test(path)).map(read);
  const flags = new Set(
    programs.flatMap((text) => [...text.matchAll(/["`](?:-\w, )?(--[a-z][a-z-]+)/g)].map(([, flag]) => flag)),
  );
  const comments = sources
    .filter((path) => path.startsWith("packages/runtime/"))
    .flatMap((path) => read(path).match(/^\s*(?:\/\*\*|\*|\/\/).*$/gm) ?? []);
  const named = [read("docs/commands.md"), ...comments].flatMap(
    (text) => text.match(/(?<=`)--[a-z][a-z-]+(?=`)/g) ?? [],
  );
  expect(named.filter((flag) => !flags.has(flag))).toEqual([]);
});

/** Sentences of documents, help and errors that were rewritten in ordinary words, by a part that nothing else says. */
const rewritten = [
  "gives every turn an end, a durable log",
  "Neither needs an account",
  "any Node it runs on",
  "which a link from the terminal opens",
  "is tried while nothing has been said yet",
  "worth nothing alone",
  "forces nothing that you did not choose",
  "what can be asked for, what is wrong here",
  "prints one line when it is ready",
  "where requests work that name no workspace",
  "the password of whatever name",
  "in the same workspace is good too",
  "what you have is another log",
  "A price nobody knows is not guessed",
  "for what there is)",
];

/** The same of the page. */
const rewrittenOnPage = [
  "Went in",
  "Came out",
  "Look again",
  "Show all of it",
  "Changed file before",
  "No session fits that",
  "makes it worthless",
  "as the system",
  "Not known to Caret yet",
  "Nothing waits for you.",
];

it.each([
  ["documents, help and errors", ["README.md", "docs/*.md", "packages/*/src/**/*.{ts,tsx}"], rewritten],
  ["the page", ["packages/web/src/**/*.{ts,tsx}"], rewrittenOnPage],
] as const)("ux §4: no sentence that was rewritten is back in %s", (_, patterns, sentences) => {
  const text = globSync([...patterns], { cwd: root })
    .map(read)
    .join("\n");
  expect(sentences.filter((sentence) => text.includes(sentence))).toEqual([]);
});
