import type { SettingPath, SettingsFormat, SettingValue } from "@caret/protocol/recipes";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { isSame, valueAt } from "../config/setting-value.ts";
import { editorFor, setSetting } from "./settings-editors.ts";

const provider = { name: "Caret", options: { url: "http://127.0.0.1:4141/v1", tools: ["a", "b"] } };

/** Ours: a member of a member, an item of a list, and a default that may be the user's. */
const jsonSettings: readonly (readonly [SettingPath, SettingValue])[] = [
  [["provider", "caret"], provider],
  [["models", { item: { name: "Caret" } }], provider],
  [["model"], "caret/auto"],
];
const tomlSettings: readonly (readonly [SettingPath, SettingValue])[] = [
  [["mcp_servers", "caret"], { command: "caret", args: ["mcp"] }],
];

/** Adds all of ours; gives the text and what takes them out again. */
function install(format: SettingsFormat, text: string, settings = jsonSettings) {
  let current = text;
  const undos = settings.map(([path, value]) => {
    const { text: next, undo } = setSetting(format, current, path, value);
    current = next;
    return [path, undo, value] as const;
  });
  const takeOut = (from: string): string =>
    undos.toReversed().reduce((left, [path, undo, value]) => editorFor(format).undo(left, path, undo, value), from);
  return { text: current, takeOut };
}

const word = fc.stringMatching(/^[a-z]{1,6}$/);
const scalar = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  word,
  fc.constant('a "quoted" \\ {[,]} // string'),
);
const member = fc.oneof(scalar, fc.dictionary(word, scalar, { maxKeys: 3 }), fc.array(scalar, { maxLength: 3 }));
/** Settings of a user's, some of which are in the places of ours. */
const settings = fc
  .record(
    {
      theme: scalar,
      provider: fc.dictionary(word, member, { maxKeys: 2 }),
      models: fc.array(fc.dictionary(word, scalar, { maxKeys: 2 }), { maxLength: 2 }),
      model: word,
      other: member,
    },
    { requiredKeys: [] },
  )
  .map((own) => ({ ...own, mark: "before" }));
const style = fc.record({
  indent: fc.constantFrom("", " ", "  ", "    ", "\t"),
  lineEnd: fc.constantFrom("\n", "\r\n"),
  comment: fc.constantFrom("", " // note", " /* note */"),
  trailing: fc.boolean(),
  end: fc.constantFrom("", "\n", "\n\n// end\n"),
  start: fc.constantFrom("", "\uFEFF", "// begin\n"),
});
type Style = typeof style extends fc.Arbitrary<infer Value> ? Value : never;

function writeJsonc(value: unknown, { indent, lineEnd, comment, trailing, end, start }: Style): string {
  let text = JSON.stringify(value, undefined, indent);
  if (indent !== "") {
    if (trailing) text = text.replaceAll(/([^{[,\s])\n/g, "$1,\n");
    text = text.replaceAll(/,\n/g, `,${comment}\n`).replace(/\n/, ` // first\n`);
  }
  return (start + text + end).replaceAll("\n", lineEnd);
}

describe("settings in JSON with comments", () => {
  it("are added and taken out again to the byte, however the file is formatted", () => {
    fc.assert(
      fc.property(settings, style, (own, how) => {
        const before = writeJsonc(own, how);
        const { text, takeOut } = install("jsonc", before);
        expect(valueAt(editorFor("jsonc").parse(text), ["provider", "caret", "name"])).toBe("Caret");
        expect(takeOut(text)).toBe(before);
      }),
    );
  });

  it("are the only ones that go when the user has changed others since", () => {
    const edit = (text: string): string =>
      text.replace('"before"', '{ "by": "me" /* mine */ }').replace("{", "{ // mine\n");
    fc.assert(
      fc.property(settings, style, (own, how) => {
        const before = writeJsonc(own, how);
        const { text, takeOut } = install("jsonc", before);
        expect(takeOut(edit(text))).toBe(edit(before));
      }),
    );
  });

  it("stand behind the comment of the entry before them, which stays that entry's", () => {
    const before = '{\n  "theme": "dark" // at night\n}\n';
    expect(setSetting("jsonc", before, ["model"], "caret/auto").text).toBe(
      '{\n  "theme": "dark", // at night\n  "model": "caret/auto"\n}\n',
    );
  });

  it("stand behind the comment of a trailing comma, and end with one", () => {
    expect(setSetting("jsonc", '{\n  "a": 1, // one\n}\n', ["model"], "caret/auto").text).toBe(
      '{\n  "a": 1, // one\n  "model": "caret/auto",\n}\n',
    );
  });

  it.each(["", "{", '{"a": 1', "not json", '{"a": 1} {"b": 2}'])(
    "are not added to %j, which does not parse",
    (text) => {
      expect(() => setSetting("jsonc", text, ["model"], "x")).toThrow(SyntaxError);
    },
  );
});

function writeYaml(value: Readonly<Record<string, unknown>>, { lineEnd, comment, end, start }: Style): string {
  const lines = Object.entries(value).flatMap(([name, entry]) => {
    if (name !== "models" || !Array.isArray(entry) || entry.length === 0) return [`${name}: ${JSON.stringify(entry)}`];
    return ["models:", ...entry.map((item) => `  - ${JSON.stringify(item)}`)];
  });
  const noted = comment === "" ? lines : lines.map((line, index) => (index % 2 === 0 ? `${line} # note` : line));
  return withHashes(start + noted.join("\n") + end, lineEnd);
}

/** With the comments of YAML and TOML. */
function withHashes(text: string, lineEnd: string): string {
  return text.replaceAll(/^\/\//gm, "#").replaceAll("\n", lineEnd);
}

/** A new first line, behind the byte order mark. */
function withFirstLine(text: string): string {
  return text.replace(/^\uFEFF?/, (mark) => `${mark}# mine\n`);
}

describe("settings in YAML", () => {
  it("are added and taken out again to the byte, in blocks and in brackets", () => {
    fc.assert(
      fc.property(settings, style, (own, how) => {
        const before = writeYaml(own, how);
        const { text, takeOut } = install("yaml", before);
        expect(takeOut(text)).toBe(before);
      }),
    );
  });

  it("are the only ones that go when the user has changed others since", () => {
    const edit = (text: string): string => withFirstLine(text.replace('"before"', '"after" # mine'));
    fc.assert(
      fc.property(settings, style, (own, how) => {
        const before = writeYaml(own, how);
        const { text, takeOut } = install("yaml", before);
        expect(takeOut(edit(text))).toBe(edit(before));
      }),
    );
  });

  it("are taken out of a place that had no value, which has none again", () => {
    const { text, takeOut } = install("yaml", "models:\nmark: before\n");
    expect(takeOut(text)).toBe("models:\nmark: before\n");
  });

  it.each(["a: [1", "a: 1\n---\nb: 2\n"])("are not added to %j, which is not one document", (text) => {
    expect(() => setSetting("yaml", text, ["model"], "x")).toThrow(SyntaxError);
  });
});

describe("settings in TOML", () => {
  const tables = fc.array(
    fc.record({
      name: word,
      lines: fc.array(fc.tuple(word, fc.oneof(fc.integer(), word)), { maxLength: 3 }),
      note: fc.boolean(),
    }),
    { maxLength: 3 },
  );
  const writeToml = (
    all: typeof tables extends fc.Arbitrary<infer Value> ? Value : never,
    { lineEnd, end, start }: Style,
  ): string => {
    const unique = all.map((table, index) => ({ ...table, name: `${table.name}${index}` }));
    const blocks = unique.map(({ name, lines, note }) =>
      [
        `[${name}]${note ? " # note" : ""}`,
        ...lines.map(([key, value], at) => `${key}${at} = ${JSON.stringify(value)}`),
      ].join("\n"),
    );
    return withHashes(start + [`mark = "before"`, ...blocks].join("\n\n") + end, lineEnd);
  };

  it("are a table of their own, added and taken out again to the byte", () => {
    fc.assert(
      fc.property(tables, style, (own, how) => {
        const before = writeToml(own, how);
        const { text, takeOut } = install("toml", before, tomlSettings);
        expect(valueAt(editorFor("toml").parse(text), ["mcp_servers", "caret", "command"])).toBe("caret");
        expect(takeOut(text)).toBe(before);
      }),
    );
  });

  it("are the only ones that go when the user has changed others since", () => {
    const edit = (text: string): string => withFirstLine(text.replace('"before"', '"after" # mine'));
    fc.assert(
      fc.property(tables, style, (own, how) => {
        const before = writeToml(own, how);
        const { text, takeOut } = install("toml", before, tomlSettings);
        expect(takeOut(edit(text))).toBe(edit(before));
        const more = `${text}${text.endsWith("\n") ? "" : "\n"}\n# more\n[more]\n`;
        expect(editorFor("toml").parse(takeOut(more))).toEqual(editorFor("toml").parse(`${before}\n[more]\n`));
      }),
    );
  });

  it("go with the tables that the user has put into theirs, and come back with those that were there", () => {
    const inner = '[mcp_servers.caret.env]\nA = "b"\n\n[[mcp_servers.caret.rules]]\nname = "c"\n';
    const others = '\n# other\n[other]\ncommand = "x"\n';
    const { text, takeOut } = install("toml", 'mark = "before"\n', tomlSettings);
    expect(takeOut(`${text}\n${inner}${others}`)).toBe(`mark = "before"\n${others}`);
    const theirs = `[mcp_servers.caret]\ncommand = "theirs"\n\n${inner}${others}`;
    const replaced = install("toml", theirs, tomlSettings);
    expect([replaced.text.includes("theirs"), replaced.takeOut(replaced.text)]).toEqual([false, theirs]);
  });

  it("are found in a file of another system with many comments, whose lines end with CRLF", () => {
    const comments = "# a note\r\n".repeat(60);
    const theirs = `[mcp_servers.caret]\r\n${comments}command = "theirs"\r\n`;
    const { text, takeOut } = install("toml", theirs, tomlSettings);
    expect([text.includes("theirs"), takeOut(text)]).toEqual([false, theirs]);
    expect(editorFor("yaml").parse(`${comments}model: auto\r\n`)).toEqual({ model: "auto" });
  });
});

/** With a comment on a line of its own, or behind one; as it was where it would be none there. */
function withNote(format: SettingsFormat, text: string, [place, isBehind]: readonly [number, boolean], note: string) {
  const lines = text.split("\n");
  const at = place % lines.length;
  const line = lines[at] ?? "";
  const [body, ending] = line.endsWith("\r") ? [line.slice(0, -1), "\r"] : [line, ""];
  const noted = isBehind ? `${body} ${note}${ending}` : `${line}\n${/^\s*/.exec(body)?.[0]}${note}`;
  const next = lines.with(at, noted).join("\n");
  try {
    return isSame(editorFor(format).parse(next), editorFor(format).parse(text)) ? next : text;
  } catch {
    return text; // the format has no place for one there
  }
}

describe("a user's comments and settings", () => {
  const formats = {
    jsonc: {
      sign: "// by hand",
      settings: jsonSettings,
      write: (own: Own, how: Style) => writeJsonc(own, { ...how, indent: how.indent === "" ? "  " : how.indent }),
    },
    yaml: { sign: "# by hand", settings: jsonSettings, write: writeIndented },
    toml: {
      sign: "# by hand",
      settings: tomlSettings,
      write: (own: Own, { lineEnd }: Style) =>
        withHashes(`mark = "before"\n[a]\nb = ${Object.keys(own).length} # note\n`, lineEnd),
    },
  };
  type Own = Readonly<Record<string, unknown>>;

  /** In blocks of any depth, with a comment behind each and one as deep at the end. */
  function writeIndented(own: Own, { indent, lineEnd, comment }: Style): string {
    const text = stringify(own, { indent: Math.max(2, indent.length) * (indent === "\t" ? 2 : 1), lineWidth: 0 });
    const depth = /^ */.exec(text.trimEnd().split("\n").at(-1) ?? "")?.[0] ?? "";
    return withHashes(`${text}${depth}# at the end${comment === "" ? "" : `\n# note`}\n`, lineEnd);
  }

  it.each(Object.keys(formats) as (keyof typeof formats)[])(
    "survive, wherever they were put since, when ours are taken out of %s",
    (format) => {
      const { sign, settings: ours, write } = formats[format];
      const places = fc.array(fc.tuple(fc.nat({ max: 60 }), fc.boolean()), { minLength: 1, maxLength: 4 });
      fc.assert(
        fc.property(settings, style, places, (own, how, where) => {
          const before = write(own, how);
          const { text, takeOut } = install(format, before, ours);
          const edited = where.reduce((all, place, number) => withNote(format, all, place, `${sign} ${number}`), text);
          const left = takeOut(edited);
          const notes = [...edited.matchAll(/(?:\/\/|#) by hand \d/g)].map(([note]) => note);
          expect(notes.filter((note) => !left.includes(note))).toEqual([]);
          expect(left.split("at the end")).toHaveLength(before.split("at the end").length);
          expect(editorFor(format).parse(left)).toEqual(editorFor(format).parse(before));
        }),
        { numRuns: barSize({ quick: 60, full: 1000 }) },
      );
    },
  );

  const item = (text: string) => install("yaml", text, [[["models", { item: { name: "Caret" } }], provider]]);

  it.each([
    "models:\n    - name: Theirs\n    # mine\n",
    "name: A\nother:\n    a: 1\n    # mine\n",
    "name: A\nrules:\n    - a\n    # mine\n",
    "    name: A\n    models:\n    - name: T\n    # mine\n",
    "models:\n    -\n        name: T\n        # mine\n",
  ])("survive in %j when a line is added behind it", (before) => {
    const { text, takeOut } = item(before);
    const lines = ["    # by hand", "    - name: Third", "    x: 1", "      note: 1", "# by hand", "extra: 1"];
    const readable = lines.filter((line) => isReadable(`${text}${line}\n`) && isReadable(`${before}${line}\n`));
    expect([takeOut(text), ...readable.map((line) => takeOut(`${text}${line}\n`))]).toEqual([
      before,
      ...readable.map((line) => `${before}${line}\n`),
    ]);
  });
});

function isReadable(text: string): boolean {
  try {
    return editorFor("yaml").parse(text) !== undefined;
  } catch {
    return false; // by hand, too, one would not write that
  }
}
