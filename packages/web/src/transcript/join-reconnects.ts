import type { TranscriptItem } from "@caret/protocol";

type Notice = Extract<TranscriptItem, { readonly kind: "notice" }>;

/** The agent reports each step of a reconnect: one that is lost, tried and found again is one row. */
export function joinReconnects(items: readonly TranscriptItem[]): readonly TranscriptItem[] {
  if (!items.some((item) => isStep(item) && item.notice.kind === "reconnect")) return items;
  const joined: TranscriptItem[] = [];
  let run: Notice[] = [];
  const close = (isLast: boolean): void => {
    joined.push(...joinRun(run, isLast));
    run = [];
  };
  for (const item of items) {
    if (isStep(item)) run.push(item);
    else {
      close(false);
      joined.push(item);
    }
  }
  close(true);
  return joined;
}

function isStep(item: TranscriptItem): item is Notice {
  return item.kind === "notice" && (item.notice.kind === "reconnect" || item.notice.kind === "retry");
}

function joinRun(run: readonly Notice[], isLast: boolean): readonly Notice[] {
  const [first] = run;
  if (first === undefined || !run.some(({ notice }) => notice.kind === "reconnect")) return run;
  const tries = Math.max(1, ...run.map(({ notice }) => attemptOf(notice.detail)));
  const isBack = !isLast || run.some(({ notice }) => fieldOf(notice.detail, "subtype") === "reconnected");
  const message = isBack
    ? `Reconnected after ${tries} ${tries === 1 ? "try" : "tries"}`
    : `Connection lost; reconnecting (try ${tries})`;
  return [{ ...first, notice: { kind: "reconnect", message } }];
}

function attemptOf(detail: unknown): number {
  const attempt = fieldOf(detail, "attempt");
  return typeof attempt === "number" ? attempt : 0;
}

function fieldOf(detail: unknown, name: string): unknown {
  return typeof detail === "object" && detail !== null
    ? (detail as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
