import {
  createCssVariablesTheme,
  createHighlighterCore,
  type HighlighterCore,
  type LanguageRegistration,
} from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import type { HighlightAnswer, HighlightedLine, HighlightRequest } from "./highlighter.ts";

type GrammarModule = Promise<{ readonly default: LanguageRegistration[] }>;

/** Each grammar is a file of its own, fetched when the first text in that language is seen. */
const grammars: Readonly<Record<string, () => GrammarModule>> = {
  typescript: () => import("shiki/dist/langs/typescript.mjs"),
  tsx: () => import("shiki/dist/langs/tsx.mjs"),
  javascript: () => import("shiki/dist/langs/javascript.mjs"),
  json: () => import("shiki/dist/langs/json.mjs"),
  python: () => import("shiki/dist/langs/python.mjs"),
  shellscript: () => import("shiki/dist/langs/shellscript.mjs"),
  html: () => import("shiki/dist/langs/html.mjs"),
  css: () => import("shiki/dist/langs/css.mjs"),
  markdown: () => import("shiki/dist/langs/markdown.mjs"),
  yaml: () => import("shiki/dist/langs/yaml.mjs"),
  toml: () => import("shiki/dist/langs/toml.mjs"),
  rust: () => import("shiki/dist/langs/rust.mjs"),
  go: () => import("shiki/dist/langs/go.mjs"),
  java: () => import("shiki/dist/langs/java.mjs"),
  c: () => import("shiki/dist/langs/c.mjs"),
  sql: () => import("shiki/dist/langs/sql.mjs"),
  diff: () => import("shiki/dist/langs/diff.mjs"),
  docker: () => import("shiki/dist/langs/docker.mjs"),
};

const PREFIX = "--code-";
/** Colours are the page's own variables, so that one answer is right in the light and in the dark. */
const theme = createCssVariablesTheme({ name: "page", variablePrefix: PREFIX });

let started: Promise<HighlighterCore> | undefined;

self.addEventListener("message", ({ data }: MessageEvent<HighlightRequest>) => {
  highlight(data).then(
    (lines) => answer({ id: data.id, lines }),
    // A grammar that fails leaves the text as it is: plain.
    () => answer({ id: data.id }),
  );
});

function answer(message: HighlightAnswer): void {
  self.postMessage(message);
}

async function highlight({ code, grammar }: HighlightRequest): Promise<readonly HighlightedLine[]> {
  started ??= createHighlighterCore({ themes: [theme], langs: [], engine: createJavaScriptRegexEngine() });
  const highlighter = await started;
  if (!highlighter.getLoadedLanguages().includes(grammar)) await highlighter.loadLanguage(...(await load(grammar)));
  const lines = highlighter.codeToTokensBase(code, { lang: grammar, theme: "page" });
  return lines.map((line) => line.map(({ content, color }) => [content, tokenName(color)]));
}

async function load(grammar: string): Promise<LanguageRegistration[]> {
  const module = await grammars[grammar]?.();
  return module?.default ?? [];
}

/** `var(--code-token-keyword)` says `keyword`. */
function tokenName(color: string | undefined): string {
  return /-token-([a-z-]+)/.exec(color ?? "")?.[1] ?? "";
}
