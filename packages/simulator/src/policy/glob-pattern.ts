/**
 * A glob as a regular expression over a whole path: `*` stays inside one segment, `**` crosses them, `?` is one
 * character, `{a,b}` is a choice. Written here because Node's own matcher still warns on stderr in Node 22, and a
 * warning on stderr is something the real agent would not print.
 */
export function globPattern(glob: string): RegExp {
  let source = "";
  let depth = 0;
  for (let index = 0; index < glob.length; index++) {
    const rest = glob.slice(index);
    const special = specials.find(([text]) => rest.startsWith(text));
    if (special !== undefined) {
      source += special[1];
      index += special[0].length - 1;
      continue;
    }
    const character = glob.charAt(index);
    if (character === "{") depth++;
    const closes = character === "}" && depth > 0;
    if (closes) depth--;
    source += choice(character, depth, closes);
  }
  return new RegExp(`^${source}${")".repeat(depth)}$`, "s");
}

const specials: ReadonlyArray<readonly [string, string]> = [
  ["**/", "(?:.*/)?"],
  ["**", ".*"],
  ["*", "[^/]*"],
  ["?", "[^/]"],
];

function choice(character: string, depth: number, closes: boolean): string {
  if (character === "{") return "(?:";
  if (closes) return ")";
  if (character === "," && depth > 0) return "|";
  return character.replace(/[\\^$.*+?()[\]{}|]/, "\\$&");
}
