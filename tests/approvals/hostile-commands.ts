import { seededRandom } from "../native/seeded-random.ts";

/** The arguments of a call that a person is asked about. */
export interface HostileCall {
  readonly command: string;
  readonly cwd?: string;
  readonly description?: string;
  readonly timeoutMs?: number;
}

/** What makes a text look like another one at some door or other. */
const pieces: readonly string[] = [
  "\n",
  "\r",
  "\r\n",
  " # a comment\n",
  "\t",
  "\u001b[2K\u001b[1A",
  "\u001b]0;title\u0007",
  "\u001b[8m",
  "\u009b31m",
  "\u0008\u0008\u0008",
  "\u0001",
  "\u007f",
  "\u0085",
  "\u00a0",
  "\u00ad",
  "\u200b",
  "\u200d",
  "\u202e",
  "\u2028",
  "\u2066",
  "\u2069",
  "\u2800",
  "\u3000",
  "\u3164",
  "\ufeff",
  "\u{e0041}",
  "\u0430\u0435\u043e",
  "日本語",
  "😀",
  "e\u0301\u0301\u0301",
  "שלום",
  "  ",
  "                                                                                ",
  " ; ",
  " && ",
  "'",
  '"',
  "`",
  "```",
  "~~~",
  "**bold**",
  "](javascript:x)",
  "<b>x</b>",
  "<!--",
  "&lt;&#x41;",
  "</pre>",
  "$(id)",
  "$X",
  "\\n",
  "\\",
  "\\u202e",
  '"},{"x":"',
  "y = yes, once",
  "\n  y = yes, once",
  "\n? The agent wants to use exec\n  $ ls",
  "\nDangerous: no",
  "…",
  "> ",
  "$ ",
];

const openings = ["echo ok", "ls", "node a.js", "  ls", "git status", "true", "printf x", "-n", "é", "#"];
const directories = [undefined, undefined, ".", "lib", "lib\u202e", "a\nb", " ", "echo ok", "ls"];

/** As many as are wanted, the same each time, each with another number in it; `EACH_PIECE` of them have every piece. */
export function hostileCommands(count: number): readonly HostileCall[] {
  const random = seededRandom(31);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const calls = Array.from({ length: count }, (_, index): HostileCall => {
    const middle = Array.from(
      { length: 1 + Math.floor(random() * 5) },
      (_, place) =>
        (place === 0 ? (pieces[index % pieces.length] as string) : pick(pieces)) + pick(["", "a", "rm x", "b "]),
    );
    const cwd = pick(directories);
    return {
      command: `${pick(openings)}${middle.join("")} ${index}${pick(["", "", "\n", " ", "\\ "])}`,
      ...(cwd === undefined ? {} : { cwd }),
      ...(random() < 0.2 ? { description: `says${pick(pieces)}so` } : {}),
      ...(random() < 0.2 ? { timeoutMs: 1_000 } : {}),
    };
  });
  return [...calls.slice(large.length), ...large].slice(-count);
}

/** Too much for any one screen. */
const large: readonly HostileCall[] = [
  { command: `echo ${"x".repeat(100_000)}; rm -r src` },
  { command: `echo a${"\n".repeat(10_000)}rm -r src` },
  { command: `echo ${" ".repeat(3_000)}; rm -r src` },
  { command: Array.from({ length: 1_200 }, (_, line) => `echo line ${line}`).join("\n") },
];

/** How many commands it takes for each piece to be in one. */
export const EACH_PIECE = pieces.length + large.length;
