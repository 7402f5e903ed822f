import { type AgentEvent, assertWellFormedTurn, Secret, summariseEvents } from "@caret/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor, type Redactor } from "./redactor.ts";
import { createTextRedactor } from "./text-redactor.ts";
import { createTurnRedactor } from "./turn-redactor.ts";

const redactor = createRedactor({ secrets: [new Secret("swordfish-1234")] });

const start: AgentEvent = { type: "turn-start", turnId: "t1", lane: "cli" };
const end: AgentEvent = { type: "turn-end", outcome: { kind: "completed" } };
const textStart: AgentEvent = { type: "text-start", blockId: "b1" };
const textEnd: AgentEvent = { type: "text-end", blockId: "b1" };
const says = (text: string): AgentEvent => ({ type: "text-delta", blockId: "b1", text });
const call: AgentEvent = { type: "tool-call", callId: "c1", name: "sh", kind: "shell", input: {}, owner: "agent" };
const prints = (text: string): AgentEvent => ({ type: "tool-output", callId: "c1", text });
const result = (output: string): AgentEvent => ({ type: "tool-result", callId: "c1", status: "ok", output });

/** What the log keeps of text said in these pieces. */
function keptOf(by: Redactor, pieces: readonly string[], make = says, close = textEnd): string {
  const turn = by.forTurn();
  const kept = [...pieces.map(make), close].flatMap((event) => turn.redactEvents([event]).kept);
  return kept.map((event) => ("text" in event ? event.text : "")).join("");
}

describe("The redactor of a turn", () => {
  it("gives back the very same batch when there is nothing to redact", () => {
    const batch = [start, textStart, says("Hello, "), says("world."), textEnd, call, prints("ok"), result("ok"), end];
    const { kept, said } = redactor.forTurn().redactEvents(batch);
    expect({ kept: kept === batch, said: said === batch }).toEqual({ kept: true, said: true });
  });

  it("redacts a secret that is split over deltas and batches, and holds back nothing else", () => {
    const turn = redactor.forTurn();
    const batches = [
      [start, textStart, says("the word is sword")],
      [says("fish-12")],
      [says("34, friend")],
      [textEnd, end],
    ];
    expect(batches.map((batch) => turn.redactEvents(batch).kept)).toEqual([
      [start, textStart, says("the word is ")],
      [],
      [says("[redacted], friend")],
      [textEnd, end],
    ]);
  });

  it("lets go what it held when the block ends without the secret", () => {
    const turn = redactor.forTurn();
    const batch = [start, textStart, says("a swordfish"), textEnd, end];
    expect(turn.redactEvents(batch).kept).toEqual([start, textStart, says("a "), says("swordfish"), textEnd, end]);
  });

  it("does the same for the output of a tool, apart from the text that streams meanwhile", () => {
    const turn = redactor.forTurn();
    const batch = [start, call, textStart, prints("sword"), says("sword"), prints("fish-1234"), says("play"), textEnd];
    expect(turn.redactEvents([...batch, result("swordfish-1234"), end]).kept).toEqual([
      start,
      call,
      textStart,
      prints("[redacted]"),
      says("swordplay"),
      textEnd,
      result("[redacted]"),
      end,
    ]);
  });

  it("redacts everything else an event says, but not the ids that tie events together", () => {
    const event: AgentEvent = {
      type: "tool-call",
      callId: "swordfish-1234",
      name: "shell",
      kind: "shell",
      input: { command: "echo swordfish-1234", env: { "swordfish-1234": true } },
      owner: "agent",
    };
    expect(redactor.redactEvent(event)).toEqual({
      ...event,
      input: { command: "echo [redacted]", env: { "[redacted]": true } },
    });
  });

  it("redacts the words of an error", () => {
    const error = {
      code: "bad-key",
      message: "no",
      retryable: false,
      fix: "",
      upstream: "key swordfish-1234",
    } as const;
    const event: AgentEvent = { type: "turn-end", outcome: { kind: "failed", error } };
    expect(redactor.redactEvent(event)).toEqual({
      type: "turn-end",
      outcome: { kind: "failed", error: { ...error, upstream: "key [redacted]" } },
    });
  });

  it("keeps turns well-formed, what is kept the redacted text and what is said the whole one, however they are cut", () => {
    const piece = fc.constantFrom("swordfish-1234", "sword", "fish", "-12", "34", " ", "s", "ghp_");
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, fc.boolean())), (pieces) => {
        const turn = redactor.forTurn();
        const [kept, said]: [AgentEvent[], AgentEvent[]] = [[], []];
        const take = (events: readonly AgentEvent[]): void => {
          const batch = turn.redactEvents(events);
          expect(batch.said.length).toBe(batch.kept.length);
          kept.push(...batch.kept);
          said.push(...batch.said);
        };
        take([start, textStart]);
        let batch: AgentEvent[] = [];
        for (const [text, flush] of pieces) {
          batch.push(says(text));
          if (flush) take(batch.splice(0));
        }
        batch = [...batch, textEnd, end];
        take(batch);
        const whole = pieces.map(([text]) => text).join("");
        for (const events of [kept, said]) assertWellFormedTurn(events);
        expect([kept, said].map((events) => summariseEvents(events).segments)).toEqual([
          [redactor.redactText(whole)],
          [whole],
        ]);
      }),
    );
  });

  const key = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEpAIBAAKCAQEA1234567890abcdef\n".repeat(3)}-----END RSA PRIVATE KEY-----`;
  it.each([
    'const password = "s3cr3tValue9"; go on',
    'const password = "s3cr\\"tValue9"; go on',
    'const password = "s3cr3tValue9\\"; go on\n',
    "DB_PASSWORD=s3cr3tValue9 go on",
    "postgres://app:s3cr3tValue9@db:5432/app go on",
    "jdbc://postgres://app:s3cr3tValue9@db:5432/app go on",
    "Authorization: Bearer abcDEF123456789xyz go on",
    '{"token": "abcDEF123456789xyz"} go on',
    "https://host/path?token=abcDEF123456789xyz&x=1 go on",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY go on",
    `a key:\n${key}\n-- and -----BEGIN nothing`,
  ])("keeps of %j what it keeps of the whole text, wherever it is cut", (text) => {
    const whole = redactor.redactText(text);
    expect(whole).toContain("[redacted]");
    const cuts = [[...text], ...[...text].map((_, at) => [text.slice(0, at), text.slice(at)])];
    const kept = cuts.flatMap((pieces) => [keptOf(redactor, pieces), keptOf(redactor, pieces, prints, result("ok"))]);
    expect([...new Set(kept)]).toEqual([whole]);
  });

  it.each(["theAKIA5FA22E2A36C57G4A goes on", `ask-${"aB3dE5gH".repeat(3)} goes on`])(
    "keeps %j as it is, wherever it is cut: a token begins no word in the middle",
    (text) => {
      const cuts = [[...text], ...[...text].map((_, at) => [text.slice(0, at), text.slice(at)])];
      expect([...new Set(cuts.map((pieces) => keptOf(redactor, pieces)))]).toEqual([text]);
    },
  );

  it.each([
    ["that ends with a named value", ["host=db password=hunter2abc"]],
    ["that ends with a value of a query", ["sv=2024&sig=AbCdEf123456%3D"]],
    ["that ends with a dash", ["Zz9-Xy8_Ww7-"]],
    ["that holds another one", ["swordfish-1234", "prefix-swordfish-1234-suffix"]],
  ])("keeps nothing of a known secret %s, wherever it is cut", (_kind, values) => {
    const known = createRedactor({ secrets: values.map((value) => new Secret(value)) });
    const text = `It is ${values.at(-1)}, friend`;
    const cuts = [[...text], ...[...text].map((_, at) => [text.slice(0, at), text.slice(at)])];
    expect([...new Set(cuts.map((pieces) => keptOf(known, pieces)))]).toEqual(["It is [redacted], friend"]);
  });

  it("keeps nothing of a token that ends as a known secret begins, wherever it is cut", () => {
    const known = createRedactor({ secrets: [new Secret("9 lives of a cat")] });
    const text = `It is 123456789:AA${"aB3dE5gH".repeat(4)}9 lives, AKIAABCDEFGH1JKLMN09 lives, friend`;
    const cuts = [[...text], ...[...text].map((_, at) => [text.slice(0, at), text.slice(at)])];
    expect([...new Set(cuts.map((pieces) => keptOf(known, pieces)))]).toEqual([
      "It is 123456789:AA[redacted] lives, [redacted] lives, friend",
    ]);
  });

  it("holds back a bounded part of a token that goes on for ever, and in which others begin", () => {
    const turn = redactor.forTurn();
    const held = Array.from({ length: 700 }, () => {
      turn.redactEvents([says(`sk-${"aB3dE5gH".repeat(3)}-`)]);
      return turn.held.get("b1")?.text.length ?? 0;
    });
    expect(Math.max(...held)).toBeLessThan(17_000);
  });

  it("holds back a bounded part of a private key that goes on for ever", () => {
    const turn = redactor.forTurn();
    turn.redactEvents([says("-----BEGIN PRIVATE KEY-----\n")]);
    for (let count = 0; count < 3_000; count += 1) turn.redactEvents([says("MIIEpAIBAAKCAQEA1234567890abcdef\n")]);
    expect([...turn.held.values()].every(({ text }) => text.length <= 64 * 1024 + 100)).toBe(true);
  });

  it("comes to an end with a value in quotes that has many backslashes and is never closed", () => {
    const text = `token="${"\\a".repeat(2_000)}\nand on`;
    expect([redactor.redactText(text), keptOf(redactor, [text])]).toEqual([text, text]);
  });

  const begunKey = "-----BEGIN PRIVATE KEY-----\n";
  const hostile = [
    ["", "sk-aaaa-"],
    ["", `sk-${"aB3dE5gH".repeat(3)}-`],
    ["", "token:"],
    ['password="', "a b c token: "],
    ["eyJ", "aB3dE5gH."],
    [begunKey, "MIIEpAIBAAKCAQEA1234567890abcdef\n"],
    [begunKey, "token: -"],
  ] as const;

  it.each(hostile)(
    "searches some forty characters for each of %j and %j again and again, however much is held",
    (head, piece) => {
      const text = head + piece.repeat(40_000 / piece.length);
      const searching = createTextRedactor([]);
      let searched = 0;
      const turn = createTurnRedactor({
        ...searching,
        heldFrom(unfinished, before) {
          searched += unfinished.length;
          return searching.heldFrom(unfinished, before);
        },
      });
      for (const delta of cutInto(text, [16])) turn.redactEvents([says(delta)]);
      expect(searched / text.length).toBeLessThan(40);
    },
  );

  it.each(hostile)(
    "keeps of %j and %j again and again what it keeps of the whole text, however it is cut",
    (head, piece) => {
      const parts = fc.tuple(
        fc.integer({ min: 1, max: Math.floor(4_000 / piece.length) }),
        fc.constantFrom("", ...endings),
      );
      const lengths = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 20 });
      fc.assert(
        fc.property(parts, parts, lengths, ([many, ending], [more, last], cuts) => {
          const text = `${head}${piece.repeat(many)}${ending}${piece.repeat(more)}${last}`;
          expect(keptOf(redactor, cutInto(text, cuts))).toBe(redactor.redactText(text));
        }),
        { numRuns: 30 },
      );
    },
  );
});

/** What ends a secret, or is one. */
const endings = [
  " ",
  '" ',
  "\n",
  " swordfish-1234 ",
  `, ghp_${"aB3dE5gH".repeat(5)} `,
  "\n-----END PRIVATE KEY-----\n",
];

/** The text in pieces of these lengths, again and again. */
function cutInto(text: string, lengths: readonly number[]): readonly string[] {
  const pieces: string[] = [];
  for (let [at, index] = [0, 0]; at < text.length; index += 1) {
    const length = lengths[index % lengths.length] ?? 1;
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}
