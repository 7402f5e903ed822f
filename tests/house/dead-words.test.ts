import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { noticeKinds } from "@caret/protocol";
import { expect, it } from "vitest";
import { root } from "./lint-planted.ts";

const sources = globSync("packages/*/src/**/*.ts", { cwd: root });
const read = (path: string): string => readFileSync(join(root, path), "utf8");

it("the runtime emits every kind of notice", () => {
  const emitting = sources.filter(
    (path) => path.startsWith("packages/runtime/") && !/\.(?:test|contract)\.|\/testing\//.test(path),
  );
  const runtime = emitting.map(read).join("\n");
  /** Where a notice is made. A type (`kind: "retry" | …`) and a comparison (`kind === "retry"`) make none. */
  const made = new Set([...runtime.matchAll(/(?:\bkind: |toNotice\()"([a-z-]+)",/g)].map(([, kind]) => kind));
  expect(noticeKinds.filter((kind) => !made.has(kind))).toEqual([]);
});

it("every flag that a comment or a page of commands names exists", () => {
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

it("no test is named after a review that is not in the repository", () => {
  const tests = globSync("{packages/*/src,bench,tests}/**/*.{test,contract,bench}.ts", { cwd: root });
  const tag =
    /\[(?:defect|ux|clients|fidelity|review|seed|house) [^\]]*\](?=["`])|"house §?\d[\d.]*:|(?<=\w )\[[A-Z]\d+(?:, [A-Z]\d+)*\](?=["`])/g;
  const found = tests.flatMap((path) => (read(path).match(tag) ?? []).map((name) => `${path}: ${name}`));
  expect(found).toEqual([]);
});
