/** Names that stand behind a fence or end a file's name, and the grammar each of them means. Others have no colours. */
const grammars: Readonly<Record<string, readonly string[]>> = {
  typescript: ["ts", "typescript", "mts", "cts"],
  tsx: ["tsx", "jsx"],
  javascript: ["js", "javascript", "mjs", "cjs", "node"],
  json: ["json", "jsonc", "json5", "ndjson", "jsonl"],
  python: ["py", "python"],
  shellscript: ["sh", "bash", "zsh", "shell", "shellscript", "console"],
  html: ["html", "xml", "svg", "vue"],
  css: ["css", "scss", "less"],
  markdown: ["md", "markdown"],
  yaml: ["yml", "yaml"],
  toml: ["toml", "ini"],
  rust: ["rs", "rust"],
  go: ["go", "golang"],
  java: ["java", "kotlin", "kt"],
  c: ["c", "h", "cpp", "c++", "cc", "hpp"],
  sql: ["sql", "postgres", "sqlite"],
  diff: ["diff", "patch"],
  docker: ["dockerfile", "docker"],
};

const byName: ReadonlyMap<string, string> = new Map(
  Object.entries(grammars).flatMap(([grammar, names]) => names.map((name) => [name, grammar] as const)),
);

/** The grammar for the words behind a fence, or undefined. */
export function grammarOf(info: string): string | undefined {
  const name = /^[\w+#-]+/.exec(info.trim())?.[0]?.toLowerCase();
  return name === undefined ? undefined : byName.get(name);
}

/** The grammar for a file, by the end of its name or by the whole of it: `Dockerfile`. */
export function grammarOfPath(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return byName.get(name.slice(name.lastIndexOf(".") + 1));
}
