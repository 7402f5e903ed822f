import type { AgentEvent } from "@caret/protocol";
import type { EndFilter } from "./answer-again.ts";
import type { FormatDemand } from "./format-demand.ts";

const BLOCK = "verified";

export interface FormatFilterOptions {
  readonly demand: FormatDemand;
  /** Only words are affected: an answer that will be cut is streamed, so it ends its turn early. */
  readonly endsEarly: boolean;
  /** The answer must call a tool: words alone are not a good end. */
  readonly needsCall: boolean;
  readonly onUnmet: (problem: string) => void;
}

/**
 * Withholds all text until the turn has ended, then replaces it by what was demanded. Text before a client call is not the answer and is
 * never shown. Thoughts and activity pass through.
 */
export function createFormatFilter({ demand, endsEarly, needsCall, onUnmet }: FormatFilterOptions): EndFilter {
  const heard = createHearing();
  let hasCalls = false;
  let isRaw = false;
  let isReplaced = false;
  let checkedAt = 0;

  const end = (event: AgentEvent & { type: "turn-end" }): readonly AgentEvent[] => {
    if (event.outcome.kind !== "completed" || hasCalls || isRaw) return [event];
    const judged = needsCall ? undefined : demand.judge(heard.texts());
    if (judged?.kind === "met") return [...blockOf(judged.text), event];
    isReplaced = true;
    if (judged !== undefined) onUnmet(judged.problem);
    return [];
  };

  /** Streams an overlong answer until the doors cut it. */
  const giveOverlong = (): readonly AgentEvent[] => {
    const { last } = heard;
    if (!endsEarly || needsCall || last.length < checkedAt) return [];
    checkedAt = last.length * 1.25;
    isRaw = demand.isOverlong(last);
    return isRaw ? blockOf(last).slice(0, 2) : [];
  };

  const shownOf = (event: AgentEvent): readonly AgentEvent[] => {
    if (event.type === "turn-end") return end(event);
    hasCalls ||= event.type === "tool-call" && event.owner === "client";
    if (!heard.read(event)) return [event];
    if (!isRaw) return giveOverlong();
    return event.type === "text-delta" ? [{ ...event, blockId: BLOCK }] : [];
  };

  return {
    read: (batch) => batch.flatMap(shownOf),
    held: [],
    get isReplaced() {
      return isReplaced;
    },
  };
}

/** The agent's words that may be its answer. */
interface Hearing {
  /** False if the event is not text. */
  read(event: AgentEvent): boolean;
  /** The last non-empty block. */
  readonly last: string;
  /** Candidates for the answer, likeliest first: the last block, or everything said since the agent's last tool. */
  texts(): readonly string[];
}

function createHearing(): Hearing {
  let last = "";
  let open: { readonly blockId: string; text: string } | undefined;
  let sinceTool: string[] = [];

  const close = (): void => {
    if (open !== undefined && open.text.trim() !== "") {
      last = open.text;
      sinceTool.push(open.text);
    }
    open = undefined;
  };

  const hear = (blockId: string, text: string): void => {
    if (open?.blockId !== blockId) close();
    open ??= { blockId, text: "" };
    open.text += text;
  };

  return {
    read(event) {
      switch (event.type) {
        case "text-delta":
          hear(event.blockId, event.text);
          return true;
        case "text-start":
        case "text-end":
          close();
          return true;
        case "plan":
          close();
          hear("plan", event.text);
          close();
          return true;
        case "tool-call":
          close();
          sinceTool = [];
          return false;
        default:
          return false;
      }
    },
    get last() {
      return open === undefined ? last : open.text;
    },
    texts() {
      close();
      return sinceTool.length > 1 ? [last, sinceTool.join("")] : [last];
    },
  };
}

function blockOf(text: string): readonly AgentEvent[] {
  return [
    { type: "text-start", blockId: BLOCK },
    { type: "text-delta", blockId: BLOCK, text },
    { type: "text-end", blockId: BLOCK },
  ];
}
