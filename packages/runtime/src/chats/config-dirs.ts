import { join, resolve } from "node:path";

export interface ConfigDirsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** Where Cursor's CLI may keep its chats, most specific first. Which of them exist is for the reader to find out. */
export function configDirs({ env, home }: ConfigDirsOptions): readonly string[] {
  const xdg = env["XDG_CONFIG_HOME"];
  const candidates = [env["CURSOR_CONFIG_DIR"], xdg && join(xdg, "cursor"), join(home, ".cursor")];
  return [...new Set(candidates.flatMap((path) => (path ? [resolve(path)] : [])))];
}
