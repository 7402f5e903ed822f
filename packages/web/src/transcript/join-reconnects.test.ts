import type { NoticeKind, TranscriptItem } from "@caret/protocol";
import { expect, it } from "vitest";
import { joinReconnects } from "./join-reconnects.ts";

let seq = 0;
const notice = (kind: NoticeKind, detail: object): TranscriptItem => {
  seq += 1;
  return { kind: "notice", seq, notice: { kind, message: `${kind} ${seq}`, detail } };
};
const text: TranscriptItem = { kind: "text", seq: 99, text: "Go on.", isOpen: false };
const words = (items: readonly TranscriptItem[]): readonly string[] =>
  joinReconnects(items).map((item) => (item.kind === "notice" ? item.notice.message : item.kind));

it("shows one reconnect in one row", () => {
  const lost = [
    notice("reconnect", { subtype: "reconnecting", attempt: 1 }),
    notice("retry", { subtype: "starting", attempt: 1 }),
    notice("reconnect", { subtype: "reconnecting", attempt: 2 }),
  ];
  expect([
    words([...lost, notice("reconnect", { subtype: "reconnected" }), notice("retry", { subtype: "resuming" }), text]),
    words([...lost, text]),
    words(lost),
    words([
      notice("reconnect", { subtype: "reconnecting", attempt: 1 }),
      notice("reconnect", { subtype: "reconnected" }),
    ]),
  ]).toEqual([
    ["Reconnected after 2 tries", "text"],
    ["Reconnected after 2 tries", "text"],
    ["Connection lost; reconnecting (try 2)"],
    ["Reconnected after 1 try"],
  ]);
});

it("leaves retries that no lost connection caused as they are", () => {
  const items = [notice("retry", { subtype: "starting" }), text];
  expect(joinReconnects(items)).toBe(items);
});
