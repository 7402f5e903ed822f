import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { toIndexText, wordsOf } from "./search-words.ts";

/** The words that an index with the log's tokenizer finds in a text, in order. */
function indexed(text: string): readonly string[] {
  const database = new DatabaseSync(":memory:");
  onTestFinished(() => database.close());
  database.exec(
    "create virtual table said using fts5 (words, content = '', tokenize = 'unicode61 remove_diacritics 0')",
  );
  database.exec("create virtual table said_place using fts5vocab (said, instance)");
  database.prepare("insert into said (rowid, words) values (1, ?)").run(toIndexText(text));
  return database
    .prepare("select term from said_place order by offset")
    .all()
    .map(({ term }) => String(term));
}

const everyByte = Array.from({ length: 0x80 }, (_, code) => `a${String.fromCharCode(code)}B7`).join("_");

it.each([
  ["a sentence", "Don't PANIC: 42 things, (see README.md)!"],
  ["code", "const maxLineBytes = options?.max_line_bytes ?? 64*1024; // KiB"],
  ["every ASCII character between letters", everyByte],
  ["accents and scripts without spaces", "Ça va Straße 日本語 ไทย naïve"],
  ["nothing but punctuation", "-- ... !!"],
])("is split by the index as by wordsOf: %s", (_name, text) => {
  expect(indexed(text)).toEqual(wordsOf(text).map(({ word }) => word));
});
