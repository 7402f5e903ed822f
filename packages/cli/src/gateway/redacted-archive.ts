import type { ResponseArchive } from "@caret/gateway";
import type { AnswerArchive, Redactor } from "@caret/runtime";

/** What goes to the disk has no secrets in it: a client that refers to an answer after a restart goes on without them. */
export function redactedArchive(archive: AnswerArchive, redactor: () => Redactor): ResponseArchive {
  return {
    put(owner, { body, ...response }) {
      const value: unknown = JSON.parse(body);
      const redacted = redactor().redactValue(value);
      archive.put(owner, { ...response, body: redacted === value ? body : JSON.stringify(redacted) });
    },
    find: (owner, by) => archive.find(owner, by),
  };
}
